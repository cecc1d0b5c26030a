/** Whole patches for `git apply`: bytes as git prints them, with binary files, and within a limit. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitFailed, gitOutput, type GitCallOptions, type GitOptions } from '../command/git.ts';
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
/** Memory of git for both sides of a file, and for its difference. */
const MEMORY_FACTOR = 4;
const OWN_MEMORY_BYTES: number = 256 * 1024 * 1024;
/** Only Linux enforces both limits. */
const IS_BOUNDED = process.platform === 'linux';

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

/**
 * Git writes a file: its stdout is decoded, and patches have any encoding. The limits of the process bound its work,
 * where they are enforced. Elsewhere, and for the cause of a failure, the sizes of the files are read.
 */
async function patchIn(
  folder: string,
  { base, tip }: CommitRange,
  { maxBytes, ...call }: PatchOptions & GitOptions,
): Promise<WholePatch> {
  const maxFilesBytes = FILE_FACTOR * maxBytes;
  const isTooLarge = async (): Promise<boolean> => (await sizeOfFiles({ base, tip }, call)) > maxFilesBytes;
  if (!IS_BOUNDED && (await isTooLarge())) return undefined;
  const file = join(folder, 'patch');
  const args = [...PATCH, `--output=${file}`, base, tip, '--'];
  const result = await git(args, {
    ...call,
    maxFileBytes: maxBytes + 1,
    maxMemoryBytes: OWN_MEMORY_BYTES + MEMORY_FACTOR * maxFilesBytes,
  });
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > maxBytes) return undefined;
  if (result.exitCode === 0) return readRegularFileSync(file, { maxBytes });
  if (IS_BOUNDED && (await isTooLarge())) return undefined;
  throw gitFailed(args, result, call.cwd);
}

async function sizeOfFiles({ base, tip }: CommitRange, call: GitOptions): Promise<number> {
  const entries = rawEntries(await gitOutput([...RAW, '--no-renames', base, tip, '--'], call));
  const sizes = await readSizes(entries, call);
  return entries.reduce(
    (sum, { oldId, oldMode, newId, newMode }) =>
      sum + (sizeOf(oldId, oldMode, sizes) ?? 0) + (sizeOf(newId, newMode, sizes) ?? 0),
    0,
  );
}
