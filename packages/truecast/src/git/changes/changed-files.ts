/** Files that differ between two commits, with their lines. All work and all text is bounded. */
import { gitOutput, type GitOptions } from '../command/git.ts';
import { QUOTED_PATHS, unquotePath } from '../command/quoted-path.ts';
import type { CommitRange } from './commit-facts.ts';
import { parsePatch, type FilePatch, type PatchHunk } from './parse-patch.ts';

/** A file of two commits. */
export interface ChangedFile {
  readonly path: string;
  /** Path before a rename. */
  readonly oldPath?: string | undefined;
  readonly change: 'added' | 'deleted' | 'modified' | 'renamed';
  /** Octal modes, if they differ. */
  readonly modes?: { readonly old: string; readonly new: string } | undefined;
  readonly oldBytes?: number | undefined;
  readonly newBytes?: number | undefined;
  /** Counts of all lines. Absent if they are not known. */
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  readonly hunks: readonly PatchHunk[];
  /** Lines behind the last hunk that are left out. */
  readonly omittedLines: number;
  /** Why there is no hunk: its bytes, or a limit for all files together. */
  readonly omitted?: 'binary' | 'large' | 'limit' | 'unreadable' | undefined;
}

/** Changed files in the order of their paths. */
export interface ChangedFiles {
  readonly files: readonly ChangedFile[];
  /** Number of files after the last one. */
  readonly omittedFiles: number;
}

/** Limits of the files of two commits. */
export interface ChangeLimits {
  readonly files: number;
  /** Bytes of one file, before or after. Of a larger one, only the size is returned. */
  readonly fileBytes: number;
  /** Bytes of all files whose lines are read. */
  readonly totalBytes: number;
  readonly fileLines: number;
  readonly totalLines: number;
  /** In UTF-16 units. */
  readonly lineChars: number;
}

export const CHANGE_LIMITS: ChangeLimits = {
  files: 300,
  fileBytes: 512 * 1024,
  totalBytes: 8 * 1024 * 1024,
  fileLines: 2_000,
  totalLines: 6_000,
  lineChars: 500,
};

/** Characters of all paths in the arguments of one call. */
const MAX_PATH_CHARS = 256 * 1024;
const ABSENT = /^0+$/u;
const SUBMODULE = '160000';
/** A submodule is shown by two lines with the ids of its commits. */
const SUBMODULE_BYTES = 100;

export const RAW: readonly string[] = [
  'diff-tree',
  '-r',
  '--raw',
  '--no-abbrev',
  '--no-color',
  '--ignore-submodules=none',
];
/** `--text`, because an attribute of the agent can call any file binary. */
const PATCH = [
  '--patch',
  '--text',
  '--unified=3',
  '--find-renames',
  '-l100',
  '--no-ext-diff',
  '--no-textconv',
];

/**
 * Reads the files between the two commits. A rename is found among the files whose lines are read.
 *
 * @throws RepositoryError `git-failed`, `timeout`; the signal's reason
 */
export async function readChangedFiles(
  { base, tip }: CommitRange,
  options: GitOptions,
  limits: ChangeLimits = CHANGE_LIMITS,
): Promise<ChangedFiles> {
  const { config = [] } = options;
  const settings = [QUOTED_PATHS, 'core.useReplaceRefs=false', 'diff.suppressBlankEmpty=false'];
  const call = { ...options, config: [...config, ...settings] };
  const raw = await gitOutput([...RAW, '--no-renames', base, tip, '--'], call);
  const all = rawEntries(raw);
  const entries = all.slice(0, limits.files);
  const sizes = await readSizes(entries, call);
  const judged = judge(entries, sizes, limits);
  const shown = judged.flatMap(({ entry, omitted }) => (omitted === undefined ? [entry] : []));
  const patched =
    shown.length === 0
      ? []
      : await readPatched([...RAW, ...PATCH, base, tip, '--', ...shown.map(({ path }) => path)], call);
  const unread = judged.flatMap(({ entry, omitted }) =>
    omitted === undefined ? [] : [fileOf(entry, sizes, { omitted })],
  );
  const read = patched.map(({ entry, patch }) => fileOf(entry, sizes, { patch }));
  const files = [...unread, ...read].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return { files: withinLines(files, limits), omittedFiles: all.length - entries.length };
}

/** One line of `diff-tree --raw`. */
export interface RawEntry {
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
  /** First letter of the status. */
  readonly status: string;
  readonly oldPath?: string;
  readonly path: string;
  /** False for a name that is not UTF-8. */
  readonly isNamed: boolean;
}

export function rawEntries(text: string): readonly RawEntry[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(':'))
    .map((line) => {
      const [facts = '', first = '', second] = line.slice(1).split('\t');
      const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = facts.split(' ');
      const [one, other] = [decodedPath(first), second === undefined ? undefined : decodedPath(second)];
      const { path, isNamed } = other ?? one;
      const renamed = other === undefined ? {} : { oldPath: one.path };
      return { oldMode, newMode, oldId, newId, status: status[0] ?? '', ...renamed, path, isNamed };
    });
}

function decodedPath(quoted: string): { readonly path: string; readonly isNamed: boolean } {
  const bytes = Buffer.from(unquotePath(quoted), 'latin1');
  const path = bytes.toString('utf8');
  return { path, isNamed: Buffer.from(path).equals(bytes) };
}

export type Sizes = ReadonlyMap<string, number>;

export async function readSizes(entries: readonly RawEntry[], call: GitOptions): Promise<Sizes> {
  const ids = entries.flatMap(({ oldMode, newMode, oldId, newId }) => [
    ...(oldMode === SUBMODULE ? [] : [oldId]),
    ...(newMode === SUBMODULE ? [] : [newId]),
  ]);
  const input = [...new Set(ids.filter((id) => !ABSENT.test(id)))];
  if (input.length === 0) return new Map();
  const text = await gitOutput(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    ...call,
    input: `${input.join('\n')}\n`,
  });
  // A missing object has no number.
  const sizes = text.split('\n').flatMap((line): readonly [string, number][] => {
    const [id = '', size = ''] = line.split(' ');
    return /^\d+$/u.test(size) ? [[id, Number(size)]] : [];
  });
  return new Map(sizes);
}

export function sizeOf(id: string, mode: string, sizes: Sizes): number | undefined {
  if (ABSENT.test(id)) return 0;
  return mode === SUBMODULE ? SUBMODULE_BYTES : sizes.get(id);
}

interface JudgedEntry {
  readonly entry: RawEntry;
  readonly omitted: ChangedFile['omitted'];
}

function judge(entries: readonly RawEntry[], sizes: Sizes, limits: ChangeLimits): readonly JudgedEntry[] {
  let [bytes, chars] = [0, 0];
  return entries.map((entry): JudgedEntry => {
    const old = sizeOf(entry.oldId, entry.oldMode, sizes);
    const current = sizeOf(entry.newId, entry.newMode, sizes);
    if (old === undefined || current === undefined || !entry.isNamed) return { entry, omitted: 'unreadable' };
    if (Math.max(old, current) > limits.fileBytes) return { entry, omitted: 'large' };
    const [nextBytes, nextChars] = [bytes + old + current, chars + entry.path.length];
    if (nextBytes > limits.totalBytes || nextChars > MAX_PATH_CHARS) return { entry, omitted: 'limit' };
    [bytes, chars] = [nextBytes, nextChars];
    return { entry, omitted: undefined };
  });
}

interface PatchedEntry {
  readonly entry: RawEntry;
  readonly patch: FilePatch;
}

async function readPatched(args: readonly string[], call: GitOptions): Promise<readonly PatchedEntry[]> {
  const text = await gitOutput(args, call);
  const start = text.startsWith('diff --git ') ? 0 : text.indexOf('\ndiff --git ') + 1;
  const patches = parsePatch(text.slice(start));
  let next = 0;
  return rawEntries(text.slice(0, start)).map((entry) => {
    // A file that became a link, or the reverse, is deleted in one part and added in the next one.
    const parts = patches.slice(next, (next += entry.status === 'T' ? 2 : 1));
    const sum = (count: 'added' | 'removed'): number => parts.reduce((all, part) => all + part[count], 0);
    const hunks = parts.flatMap((part) => part.hunks);
    return { entry, patch: { hunks, added: sum('added'), removed: sum('removed') } };
  });
}

const CHANGES: Readonly<Record<string, ChangedFile['change']>> = { A: 'added', D: 'deleted', R: 'renamed' };

function fileOf(
  entry: RawEntry,
  sizes: Sizes,
  { patch, omitted }: { readonly patch?: FilePatch; readonly omitted?: ChangedFile['omitted'] },
): ChangedFile {
  const { oldMode, newMode, oldId, newId, status, oldPath, path } = entry;
  const isBinary = patch?.hunks.some(({ lines }) => lines.some((line) => line.includes('\0'))) === true;
  const isText = patch !== undefined && !isBinary;
  const hasModes = oldMode !== newMode && !ABSENT.test(oldMode) && !ABSENT.test(newMode);
  return {
    path,
    oldPath,
    change: CHANGES[status] ?? 'modified',
    modes: hasModes ? { old: oldMode, new: newMode } : undefined,
    oldBytes: oldMode === SUBMODULE ? undefined : sizes.get(oldId),
    newBytes: newMode === SUBMODULE ? undefined : sizes.get(newId),
    added: isText ? patch.added : undefined,
    removed: isText ? patch.removed : undefined,
    hunks: isText ? patch.hunks : [],
    omittedLines: 0,
    omitted: isBinary ? 'binary' : omitted,
  };
}

/** Leaves out the lines beyond the limits. */
function withinLines(files: readonly ChangedFile[], limits: ChangeLimits): readonly ChangedFile[] {
  let total = limits.totalLines;
  return files.map((file) => {
    let left = Math.min(limits.fileLines, total);
    const given = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
    const hunks: PatchHunk[] = [];
    for (const hunk of file.hunks) {
      if (left === 0) break;
      const lines = hunk.lines.slice(0, left).map((line) => cutLine(line, limits.lineChars));
      hunks.push({ ...hunk, heading: cutLine(hunk.heading, limits.lineChars), lines });
      left -= lines.length;
    }
    const kept = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
    total -= kept;
    return { ...file, hunks, omittedLines: given - kept };
  });
}

function cutLine(line: string, maxChars: number): string {
  return line.length <= maxChars ? line : `${line.slice(0, maxChars).toWellFormed()}…`;
}
