/** Worktree status: detects uncommitted work. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitFailed, gitOutput, type GitCallOptions, type GitPaths } from '../command/git.ts';
import { findUnmodified } from '../filters/recheck-modified.ts';
import { isThere } from '../command/quarantine.ts';
import type { StatusFilters } from '../repository/trusted-config.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';

/** An index with a million entries has about 100 MB. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024;

/** A checkout, and its trusted configuration. */
export interface CheckedOut {
  readonly paths: GitPaths;
  /** Commit with the user's attributes before any guest. */
  readonly trustedCommit: string;
  trustedConfig(): Promise<StatusFilters>;
}

/** The checked-out commit and the uncommitted changes. */
export interface WorktreeStatus {
  readonly headSha: string | undefined;
  /** Undefined if HEAD is detached. */
  readonly branch: string | undefined;
  /**
   * True for changed, staged, unmerged or untracked files, or a populated submodule. Ignored files
   * do not count.
   */
  readonly isDirty: boolean;
  /** The first few uncommitted paths. */
  readonly dirtyPaths: readonly string[];
  /** All uncommitted paths outside of submodules. A folder without tracked files is one. */
  readonly changedPaths: readonly string[];
  /** Populated submodules. They were not entered, and can be unchanged. */
  readonly submodules: readonly string[];
}

/**
 * Reads a checkout's status without running anything in it.
 *
 * Submodules are not entered, because git would run a separate status there, with the submodule's
 * configuration. A populated one counts as work.
 */
export async function readStatus(checkedOut: CheckedOut, options: GitCallOptions): Promise<WorktreeStatus> {
  const { paths } = checkedOut;
  const config = await checkedOut.trustedConfig();
  const args = [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=all',
    '--no-renames',
  ];
  const [result, gitlinks] = await Promise.all([
    git(args, {
      ...options,
      cwd: paths.workTree,
      paths,
      config: [...config.neutralFilters, 'status.aheadBehind=false'],
    }),
    listGitlinks(checkedOut, options),
  ]);
  if (result.exitCode !== 0) throw gitFailed(args, result, paths.workTree);
  const lines = result.stdout.split('\0').filter((line) => line !== '');
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const populated = await filterAsync(gitlinks, (path) => exists(join(paths.workTree, path, '.git')));
  const entries = lines.filter((line) => !line.startsWith('# '));
  const oid = header('oid');
  const head = header('head');
  const headSha = oid === '(initial)' ? undefined : oid;
  const unmodified = await findUnmodified(
    {
      modified: config.neutralFilters.length === 0 ? [] : entries.filter(isOnlyModified).map(pathOfEntry),
      changed: entries.map(pathOfEntry),
      headSha,
    },
    config,
    checkedOut.trustedCommit,
    { ...options, cwd: paths.workTree, paths },
  );
  const changed = entries
    .filter((entry) => !isOnlyModified(entry) || !unmodified.has(pathOfEntry(entry)))
    .map(pathOfEntry);
  return {
    headSha,
    branch: head === '(detached)' ? undefined : head,
    isDirty: changed.length + populated.length > 0,
    dirtyPaths: [...changed, ...populated].slice(0, 10),
    changedPaths: changed,
    submodules: populated,
  };
}

/** Last two bytes of a submodule's mode in an index entry: 0160000, big-endian, after two zeros. */
const GITLINK_END = Buffer.from([0xe0, 0]);

/** Returns the paths of the submodules in a checkout's index. */
export async function listGitlinks(
  { paths }: Pick<CheckedOut, 'paths'>,
  options: GitCallOptions,
): Promise<string[]> {
  if (!(await mayHoldGitlinks(join(paths.gitDir, 'index')))) return [];
  const listed = await gitOutput(['ls-files', '--stage', '-z'], { ...options, cwd: paths.workTree, paths });
  return listed
    .split('\0')
    .filter((line) => line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1));
}

/**
 * An index without these bytes contains no submodule. This check saves a git process in most
 * repositories.
 */
async function mayHoldGitlinks(indexPath: string): Promise<boolean> {
  const index = readRegularFileSync(indexPath, { maxBytes: MAX_INDEX_BYTES });
  // Other files are left to git, whose call has a timeout.
  if (index === undefined) return isThere(indexPath);
  // A split index keeps its entries in a second file, and has this extension.
  return holdsGitlinkMode(index) || index.includes('link');
}

/**
 * Searches for the rare byte first. An index contains many zeros, and each could be the start of a
 * mode.
 */
function holdsGitlinkMode(index: Buffer): boolean {
  for (let at = index.indexOf(GITLINK_END); at !== -1; at = index.indexOf(GITLINK_END, at + 1)) {
    if (index[at - 1] === 0 && index[at - 2] === 0) return true;
  }
  return false;
}

/**
 * True for a file that differs from the index and is not staged. Only such a difference can come
 * from a filter.
 */
function isOnlyModified(entry: string): boolean {
  return entry.startsWith('1 .M ');
}

/** Number of fields before the path, by the kind of entry of `status --porcelain=v2`. */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

function pathOfEntry(line: string): string {
  const fields = line.split(' ');
  return fields.slice(FIELDS_BEFORE_PATH[fields[0] ?? ''] ?? 1).join(' ');
}

async function filterAsync<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(test));
  return items.filter((_, index) => kept[index]);
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
