/** Owns whether a worktree holds work that no commit holds. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitFailed, gitOutput, type GitCallOptions, type GitPaths } from './git.ts';
import type { TrustedConfig } from './trusted-config.ts';

/** A checkout, and what of its configuration is trusted. */
export interface CheckedOut {
  readonly paths: GitPaths;
  trustedConfig(): Promise<TrustedConfig>;
}

/** What is checked out, and whether anything of it is not committed. */
export interface WorktreeStatus {
  readonly headSha: string | undefined;
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined;
  /** Changed, staged, unmerged or untracked files, or a populated submodule; ignored files do not count. */
  readonly isDirty: boolean;
  /** The first few paths that make it so. */
  readonly dirtyPaths: readonly string[];
}

/**
 * Looks at a checkout without running anything that stands in it.
 *
 * Submodules are not entered: git would run a status of its own there, by their own configuration. A populated one counts as work.
 */
export async function readStatus(checkedOut: CheckedOut, options: GitCallOptions): Promise<WorktreeStatus> {
  const { paths } = checkedOut;
  const { neutralFilters } = await checkedOut.trustedConfig();
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
      config: [...neutralFilters, 'status.aheadBehind=false'],
    }),
    listGitlinks(checkedOut, options),
  ]);
  if (result.exitCode !== 0) throw gitFailed(args, result, paths.workTree);
  const lines = result.stdout.split('\0').filter((line) => line !== '');
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const populated = await filterAsync(gitlinks, (path) => exists(join(paths.workTree, path, '.git')));
  const changed = lines.filter((line) => !line.startsWith('# ')).map(pathOfEntry);
  const oid = header('oid');
  const head = header('head');
  return {
    headSha: oid === '(initial)' ? undefined : oid,
    branch: head === '(detached)' ? undefined : head,
    isDirty: changed.length + populated.length > 0,
    dirtyPaths: [...changed, ...populated].slice(0, 10),
  };
}

/** The mode of a submodule in an index entry, as it stands in the file: 0160000, big-endian. */
const GITLINK_MODE = Buffer.from([0, 0, 0xe0, 0]);

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

/** Saves a process in nearly every repository: an index without these bytes holds no submodule. */
async function mayHoldGitlinks(indexPath: string): Promise<boolean> {
  const index = await readFile(indexPath).catch(() => undefined);
  // A split index keeps its entries in a second file, and says so by this extension.
  return index !== undefined && (index.includes(GITLINK_MODE) || index.includes('link'));
}

/** Fields before the path, by the kind of entry of `status --porcelain=v2`. */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

function pathOfEntry(line: string): string {
  const fields = line.split(' ');
  return fields.slice(FIELDS_BEFORE_PATH[fields[0] ?? ''] ?? 1).join(' ');
}

async function filterAsync<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(test));
  return items.filter((_, index) => kept[index]);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
