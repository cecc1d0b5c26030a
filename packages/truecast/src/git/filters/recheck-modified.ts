/**
 * Recheck of files that seem modified while filters are off: runs the user's filters on files that
 * had them before the guest.
 */
import { git, gitFailed, gitOutput, type GitOptions } from '../command/git.ts';
import type { StatusFilters } from '../repository/trusted-config.ts';
import { isAttributesFile, readFilterAttributes, withIndexOf, type FilterByPath } from './attributes.ts';

/** A status that was read with every filter off. */
export interface NeutralStatus {
  /** Paths whose file seems to differ from the index. */
  readonly modified: readonly string[];
  /** Every reported path, untracked ones included. */
  readonly changed: readonly string[];
  readonly headSha: string | undefined;
}

/** Maximum number of paths per command line. */
const PATHS_PER_CALL = 500;

/**
 * Returns the paths of `modified` that equal the index after their filter cleaned them.
 *
 * A path whose filter the guest added or changed is not rechecked.
 *
 * @param trustedCommit commit with the user's attributes before the guest
 */
export async function findUnmodified(
  { modified, changed, headSha }: NeutralStatus,
  { drivers, hostFilters }: StatusFilters,
  trustedCommit: string,
  call: GitOptions,
): Promise<ReadonlySet<string>> {
  const trusted = new Set(drivers.filter(({ distrust }) => distrust === undefined).map(({ name }) => name));
  if (modified.length === 0 || trusted.size === 0) return new Set();
  const now = await readFilterAttributes(modified, 'checkout', call);
  const filtered = modified.filter((path) => trusted.has(now.get(path) ?? ''));
  if (filtered.length === 0) return new Set();
  const isChanged = changed.some(isAttributesFile) || (await changesAttributes(trustedCommit, headSha, call));
  const before = isChanged ? await readAttributesOf(trustedCommit, filtered, call) : now;
  const candidates = filtered.filter((path) => before.get(path) === now.get(path));
  const different = await listDifferent(candidates, { ...call, config: [...hostFilters] });
  return new Set(candidates.filter((path) => !different.has(path)));
}

async function changesAttributes(
  before: string,
  after: string | undefined,
  call: GitOptions,
): Promise<boolean> {
  if (after === undefined || after === before) return false;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, after];
  const result = await git(args, call);
  if (result.exitCode !== 0) throw gitFailed(args, result, call.cwd);
  return result.stdout.split('\0').some(isAttributesFile);
}

function readAttributesOf(commit: string, paths: readonly string[], call: GitOptions): Promise<FilterByPath> {
  return withIndexOf(commit, call, (indexed) => readFilterAttributes(paths, 'index', indexed));
}

async function listDifferent(paths: readonly string[], call: GitOptions): Promise<ReadonlySet<string>> {
  const different = new Set<string>();
  for (let start = 0; start < paths.length; start += PATHS_PER_CALL) {
    const chunk = paths.slice(start, start + PATHS_PER_CALL);
    const args = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', '--ignore-submodules=all'];
    const stdout = await gitOutput([...args, '--', ...chunk], call);
    for (const path of stdout.split('\0')) different.add(path);
  }
  return different;
}
