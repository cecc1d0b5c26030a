/** Text that commits add: lines of their patches, names of files, and messages. */
import { gitFailed, programOf, timeoutError, type GitCallOptions, type GitOptions } from '../command/git.ts';
import { pathsOf } from '../repository/repository.ts';
import { spawnCommand } from '../../process/spawn-command.ts';
import type { LockedWorktree } from '../worktree/worktree.ts';

/** Part of a commit. `path` is absent for its message. */
export interface AddedPlace {
  readonly commit: string;
  readonly path?: string;
}

/** Receives the text of one place after the other. A line can come in pieces. */
export interface AddedTextListener {
  start(place: AddedPlace): void;
  text(piece: string): void;
}

/** Commits to read. */
export interface AddedRange {
  readonly tip: string;
  /** Commits whose content is known. */
  readonly without: readonly string[];
}

/**
 * Reads each commit of the range on its own, because a removed line stays in the history.
 *
 * @throws RepositoryError `git-failed`, `timeout`; the signal's reason
 */
export async function readAddedText(
  { repository }: Pick<LockedWorktree, 'repository'>,
  { tip, without }: AddedRange,
  listener: AddedTextListener,
  call: GitCallOptions,
): Promise<void> {
  const options: GitOptions = {
    ...call,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
    config: ['core.useReplaceRefs=false', 'core.quotePath=false'],
  };
  const revisions = [tip, ...without.map((sha) => `^${sha}`), '--'];
  await readLines([...PATCHES, ...revisions], options, patchReader(listener));
}

/** `--text`, because an attribute can call any file binary. `-m`, because a merge can add text too. */
const PATCHES: readonly string[] = [
  'log',
  '--no-color',
  '--no-notes',
  '--no-show-signature',
  // No message contains a zero byte.
  '--format=%x00%H%n%B%n%x00%x00',
  '--patch',
  '-m',
  '--text',
  '--unified=0',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];
const HEADER = 'diff --git a/';

function patchReader({
  start,
  text,
}: AddedTextListener): (line: string, isStart: boolean, isEnd: boolean) => void {
  let commit = '';
  let part: 'message' | 'header' | 'hunk' = 'header';
  let isGiven = false;
  const enter = (line: string): void => {
    isGiven = part === 'message' || (part === 'hunk' && line.startsWith('+'));
    if (line === '\0\0') {
      part = 'header';
      isGiven = false;
    } else if (line.startsWith('\0')) {
      commit = line.slice(1);
      part = 'message';
      start({ commit });
    } else if (part !== 'message' && line.startsWith('@@ ')) {
      part = 'hunk';
    } else if (part !== 'message' && line.startsWith('diff --git ')) {
      part = 'header';
      // Both names are equal without renames. Git quotes names with special characters.
      const path = line.slice(HEADER.length, HEADER.length + (line.length - HEADER.length - 3) / 2);
      start({ commit, path });
      text(`${path}\n`);
    }
  };
  return (line, isStart, isEnd) => {
    if (isStart) enter(line);
    if (isGiven) text(`${line}${isEnd ? '\n' : ''}`);
  };
}

/** A line of a minified file can have megabytes. */
const MAX_LINE_CHARS = 64 * 1024;

async function readLines(
  args: readonly string[],
  options: GitOptions,
  onLine: (line: string, isStart: boolean, isEnd: boolean) => void,
): Promise<void> {
  const { timeoutMs, signal, cwd } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  let line = '';
  let isStart = true;
  const give = (text: string, isEnd: boolean): void => {
    onLine(text, isStart, isEnd);
    isStart = isEnd;
  };
  const onChunk = (chunk: string): void => {
    const lines = (line + chunk).split('\n');
    line = lines.pop() ?? '';
    for (const each of lines) give(each, true);
    if (line.length <= MAX_LINE_CHARS) return;
    give(line, false);
    line = '';
  };
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    const ended = await spawnCommand({ ...programOf(args, options), cwd, signal: either, onChunk });
    if (ended.exitCode !== 0) throw gitFailed(args, ended, cwd);
  } catch (error) {
    signal?.throwIfAborted();
    throw timeout.aborted ? timeoutError(args, timeoutMs) : error;
  }
  if (line !== '') give(line, true);
}
