/** Update of the host's index to a tree that the guest staged. No index is ever copied from a guest. */
import { setTimeout as sleep } from 'node:timers/promises';
import { git, type GitOptions } from '../git/command/git.ts';
import { QUOTED_PATHS } from '../git/command/quoted-path.ts';
import type { GroupedGit } from '../git/command/git-group.ts';
import { refusedStream } from './receive/read-stream.ts';

const GITLINK = '160000';

/** Differences between the host's index and a tree. */
export interface IndexPlan {
  readonly tree: string;
  readonly changes: readonly Change[];
}

/** Names need not be UTF-8. Quoted by git, they are ASCII, and git unquotes them. */
export const PLAN_CONFIG: readonly string[] = [QUOTED_PATHS];

/** Arguments that compare the index with a tree, which comes last. */
export const PLAN_ARGS: readonly string[] = [
  'diff-index',
  '--cached',
  '--raw',
  '--no-renames',
  '--no-abbrev',
  '--ignore-submodules=none',
];

/**
 * Compares the index with a tree, whose objects can still be in quarantine.
 *
 * @param comparison waiting call with `PLAN_ARGS`, if there is one
 */
export async function planIndex(tree: string, call: GitOptions, comparison?: GroupedGit): Promise<IndexPlan> {
  const args = [...PLAN_ARGS, tree];
  const result =
    comparison === undefined
      ? await git(args, { ...call, config: PLAN_CONFIG })
      : await comparison.run(`${tree}\n`);
  // A tree can be too deep for git, which then crashes. The next attempt would fail too.
  if (result.exitCode !== 0) {
    throw refusedStream("its index could not be compared with the host's", {
      stderrTail: result.stderr.slice(-2_000),
    });
  }
  return { tree, changes: parseRaw(result.stdout) };
}

/**
 * Updates each index entry that differs from the tree. The stat data of other entries stays valid.
 *
 * A gitlink that the host does not have is skipped: the user's next `git status` would run the
 * configuration of its repository.
 *
 * @returns quoted paths of the skipped gitlinks
 */
export async function applyIndex({ tree, changes }: IndexPlan, call: GitOptions): Promise<readonly string[]> {
  const unmerged = changes.filter(({ status }) => status === 'U');
  if (unmerged.length > 0) {
    await setEntries(unmerged, call);
    return applyIndex(await planIndex(tree, call), call);
  }
  const isLeftOut = ({ mode, oldMode }: Change): boolean => mode === GITLINK && oldMode !== GITLINK;
  await setEntries(
    changes.filter((change) => !isLeftOut(change)),
    call,
  );
  return changes.filter(isLeftOut).map(({ path }) => path);
}

/** The user's `git status` can hold the lock for a moment. */
const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 100;

async function setEntries(changes: readonly Change[], call: GitOptions): Promise<void> {
  if (changes.length === 0) return;
  const lines = changes.map(({ mode, id, path }) => `${mode === ABSENT ? '0' : mode} ${id}\t${path}\n`);
  for (let tries = 1; ; tries += 1) {
    const args = ['update-index', '--index-info'];
    const { exitCode, stderr } = await git(args, { ...call, input: lines.join('') });
    if (exitCode === 0) return;
    if (!stderr.includes('index.lock') || tries === LOCK_TRIES) {
      throw refusedStream('the index could not be updated', { stderrTail: stderr.slice(-2_000) });
    }
    await sleep(LOCK_PAUSE_MS);
  }
}

/** One entry that differs. */
export interface Change {
  /** Mode in the tree. */
  readonly mode: string;
  /** Mode in the index. */
  readonly oldMode: string;
  readonly id: string;
  readonly status: string;
  /** As git quotes it. */
  readonly path: string;
}

const ABSENT = '000000';

/** Parses lines of `:<mode in the tree> <mode in the index> <id in the tree> <id in the index> <status>`, a tab, and the path. */
function parseRaw(text: string): Change[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const end = line.indexOf('\t');
    const [mode = '', oldMode = '', id = '', , status = ''] = line.slice(1, end).split(' ');
    return { mode, oldMode, id, status, path: line.slice(end + 1) };
  });
}
