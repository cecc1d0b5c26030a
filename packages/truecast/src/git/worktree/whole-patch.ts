/** Whole patches for `git apply`: bytes as git prints them, with binary files, and within a limit. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gitOutput, type GitCallOptions, type GitOptions } from '../command/git.ts';
import { QUOTED_PATHS } from '../command/quoted-path.ts';
import { isThere } from '../command/quarantine.ts';
import { withIndexOf } from '../filters/attributes.ts';
import type { Repository } from '../repository/repository.ts';
import { findAdminDirectory } from './worktree-list.ts';
import { readStatus } from './status.ts';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { RAW, rawEntries, readSizes, sizeOf } from '../changes/changed-files.ts';
import type { CommitRange } from '../changes/commit-facts.ts';

/** A patch, or undefined if it is larger than the limit: a part of it must not be applied. */
export type WholePatch = Buffer | undefined;

/** Limit of a patch, and those of git. */
export interface PatchOptions extends GitCallOptions {
  readonly maxBytes: number;
}

/** No setting of the user changes the form of `diff-tree`. */
const PATCH = [
  'diff-tree',
  '-r',
  '--patch',
  '--binary',
  '--full-index',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=none',
];
const SETTINGS = [QUOTED_PATHS, 'core.useReplaceRefs=false', 'diff.suppressBlankEmpty=false'];
/** A patch is smaller than its files if few of their lines changed. */
const FILE_FACTOR = 8;

/**
 * Returns the changes of all commits after `base` together. Empty without a change.
 *
 * @throws RepositoryError `git-failed`, `timeout`; the signal's reason
 */
export async function patchOfCommits(
  range: CommitRange,
  { cwd, ...options }: PatchOptions & Pick<GitOptions, 'cwd'>,
): Promise<WholePatch> {
  const folder = await makeTemporaryFolder('patch');
  try {
    return await patchIn(folder, range, { ...options, cwd, config: SETTINGS });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the uncommitted changes of a worktree, new files included. Empty without a change, and for a worktree that
 * is removed. No index and no object of the repository is changed, and no filter runs.
 *
 * @throws RepositoryError `git-failed`, `timeout`; the signal's reason
 */
export async function patchOfWorktree(
  workTree: string,
  { commonDir, trustedConfig, headSha: trustedCommit }: Repository,
  options: PatchOptions,
): Promise<WholePatch> {
  const gitDir = await findAdminDirectory(commonDir, workTree);
  if (gitDir === undefined || !(await isThere(workTree))) return Buffer.alloc(0);
  const paths = { gitDir, commonDir, workTree };
  const status = await readStatus({ paths, trustedCommit, trustedConfig }, options);
  const { headSha, changedPaths } = status;
  if (headSha === undefined || changedPaths.length === 0) return Buffer.alloc(0);
  const { neutralFilters } = await trustedConfig();
  const call = { ...options, cwd: workTree, paths, config: [...neutralFilters, ...SETTINGS] };
  return withIndexOf(headSha, call, async (indexed, folder) => {
    const objects = { folder: join(folder, 'objects'), alternate: join(commonDir, 'objects') };
    await mkdir(objects.folder);
    const own = { ...indexed, objects };
    const input = changedPaths.map((path) => `${path}\0`).join('');
    await gitOutput(['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], { ...own, input });
    const tree = (await gitOutput(['write-tree'], own)).trim();
    return patchIn(folder, { base: headSha, tip: tree }, { ...own, maxBytes: options.maxBytes });
  });
}

/** Git writes a file: its stdout is decoded, and patches have any encoding. */
async function patchIn(
  folder: string,
  { base, tip }: CommitRange,
  { maxBytes, ...call }: PatchOptions & GitOptions,
): Promise<WholePatch> {
  const entries = rawEntries(await gitOutput([...RAW, '--no-renames', base, tip, '--'], call));
  const sizes = await readSizes(entries, call);
  const total = entries.reduce(
    (sum, { oldId, oldMode, newId, newMode }) =>
      sum + (sizeOf(oldId, oldMode, sizes) ?? 0) + (sizeOf(newId, newMode, sizes) ?? 0),
    0,
  );
  if (total > FILE_FACTOR * maxBytes) return undefined;
  const file = join(folder, 'patch');
  await gitOutput([...PATCH, `--output=${file}`, base, tip, '--'], call);
  return (await stat(file)).size > maxBytes ? undefined : readRegularFileSync(file, { maxBytes });
}
