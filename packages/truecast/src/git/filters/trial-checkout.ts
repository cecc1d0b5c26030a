/** Trial checkout: runs the user's required smudge filters on the files of a merge before git writes to the checkout. */
import { join } from 'node:path';
import { removeTree } from '../../process/temporary-folder.ts';
import { git, gitOutput, type GitOptions } from '../command/git.ts';
import type { TrustedConfig } from '../repository/trusted-config.ts';
import { readFilterAttributes, withIndexOf } from './attributes.ts';
import { isLfs } from '../filter-rules/host-filters.ts';

/** The files that a merge writes: those of `tree` that differ from `from`. */
export interface MergedFiles {
  readonly from: string;
  readonly tree: string;
}

/** A required filter that failed. */
export interface SmudgeFailure {
  readonly filter: string;
  readonly path: string;
}

/**
 * Writes the filtered files of a merge to a temporary folder, and returns the first failure.
 *
 * Git stops in the middle of a checkout if a required filter fails: files are then written, but
 * HEAD is not moved. Attributes are those of the checkout. git-lfs is skipped, because it copies
 * large files, and writes pointers instead of failing.
 */
export async function findSmudgeFailure(
  { from, tree }: MergedFiles,
  { drivers, neutralFilters }: TrustedConfig,
  call: GitOptions,
): Promise<SmudgeFailure | undefined> {
  // With pinned filters, untrusted ones are off.
  const isOn = (distrust: string | undefined): boolean =>
    distrust === undefined || neutralFilters.length === 0;
  const failing = drivers.filter(
    (driver) =>
      driver.isRequired &&
      isOn(driver.distrust) &&
      !isLfs(driver) &&
      (driver.smudge !== undefined || driver.process !== undefined),
  );
  if (failing.length === 0) return undefined;
  const names = new Set(failing.map(({ name }) => name));
  const changed = await gitOutput(
    ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=d', from, tree],
    call,
  );
  const paths = changed.split('\0').filter((path) => path !== '');
  const attributes = await readFilterAttributes(paths, 'checkout', call);
  const filtered = paths.filter((path) => names.has(attributes.get(path) ?? ''));
  return filtered.length === 0 ? undefined : tryCheckout(tree, filtered, call);
}

function tryCheckout(
  tree: string,
  paths: readonly string[],
  call: GitOptions,
): Promise<SmudgeFailure | undefined> {
  return withIndexOf(tree, call, async (indexed, folder) => {
    const output = join(folder, 'files');
    const args = ['checkout-index', '--quiet', '-z', '--stdin', `--prefix=${output}/`];
    const { stderr } = await git(args, { ...indexed, input: paths.map((path) => `${path}\0`).join('') });
    await removeTree(output);
    // Any other failure belongs to the trial. The merge reports its own failures.
    const match = /fatal: (.*): smudge filter (.*) failed/u.exec(stderr);
    return match === null ? undefined : { path: match[1] ?? '', filter: match[2] ?? '' };
  });
}
