/** Tree changes: lists differences between two commits, without starting any of git's drivers. */
import { git, gitFailed, gitOutput, type GitOptions, type GitResult } from '../../git/command/git.ts';
import type { TipRead } from '../../git/command/tip-read.ts';

/** One path that differs between two trees. */
export interface TreeChange {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
}

/** The compared commits. */
export interface TreeRange {
  readonly base: string;
  readonly tip: string;
  /** True to compare with the merge base: the changes that a merge into `base` would add. */
  readonly sinceMergeBase: boolean;
}

const GITLINK_MODE = '160000';
const MISSING_MODE = '000000';

/** Returns true for a submodule's entry that was not one before. */
export function isNewGitlink({ oldMode, newMode }: TreeChange): boolean {
  return newMode === GITLINK_MODE && oldMode !== GITLINK_MODE;
}

export function kindOfChange({ oldMode, newMode }: TreeChange): 'added' | 'changed' | 'removed' {
  if (oldMode === MISSING_MODE) return 'added';
  return newMode === MISSING_MODE ? 'removed' : 'changed';
}

/** Creates the read that compares a tip with `base`. */
export function treeComparison(base: string): TipRead {
  return { args: [...DIFF_ARGS, base] };
}

/**
 * Lists the changes. Fails if the output exceeds the limit. The caller must not treat that as no
 * change.
 *
 * @param compared result of `treeComparison` for the same range, if it was read before
 */
export async function listTreeChanges(
  range: TreeRange,
  options: GitOptions,
  compared?: GitResult,
): Promise<readonly TreeChange[]> {
  const args = comparisonArgs(range);
  const result = compared ?? (await git(args, options));
  if (range.sinceMergeBase && result.stderr.includes('multiple merge bases')) {
    return listSinceEveryBase(range, options);
  }
  if (result.exitCode !== 0) throw gitFailed(args, result, options.cwd);
  return parseChanges(result.stdout);
}

/**
 * After two branches have merged each other, git cannot tell which changes a merge adds. They are
 * among the differences from one of the merge bases.
 */
async function listSinceEveryBase(
  { base, tip }: TreeRange,
  options: GitOptions,
): Promise<readonly TreeChange[]> {
  const bases = (await gitOutput(['merge-base', '--all', base, tip], options)).trim().split('\n');
  const listed = await Promise.all(
    bases.map((one) => listTreeChanges({ base: one, tip, sinceMergeBase: false }, options)),
  );
  const distinct = new Map(
    listed.flat().map((change) => [`${change.oldId} ${change.oldMode} ${change.path}`, change]),
  );
  return [...distinct.values()];
}

function parseChanges(listed: string): readonly TreeChange[] {
  const fields = listed.split('\0');
  const changes: TreeChange[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (fields[index] ?? '').slice(1).split(' ');
    changes.push({ path: fields[index + 1] ?? '', oldMode, newMode, oldId, newId });
  }
  return changes;
}

const DIFF_ARGS = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-textconv', '--no-ext-diff'];

function comparisonArgs({ base, tip, sinceMergeBase }: TreeRange): readonly string[] {
  return [...DIFF_ARGS, ...(sinceMergeBase ? ['--merge-base'] : []), base, tip];
}

/** Lists the entries of a commit's folders, one level deep, by folder. */
export async function listFolders(
  commit: string,
  folders: readonly string[],
  options: GitOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const args = ['ls-tree', '-z', '--full-tree', '--name-only', commit, '--'];
  const listed = await gitOutput([...args, ...folders.map((folder) => `${folder}/`)], options);
  const found = new Map<string, string[]>();
  for (const path of listed.split('\0')) {
    const end = path.lastIndexOf('/');
    if (end === -1) continue;
    const folder = path.slice(0, end);
    const names = found.get(folder);
    if (names === undefined) found.set(folder, [path.slice(end + 1)]);
    else names.push(path.slice(end + 1));
  }
  return found;
}
