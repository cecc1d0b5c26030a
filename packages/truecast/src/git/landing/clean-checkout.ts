/** Clean checkout of one commit: a throw-away worktree on no branch, in which no agent has worked. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { temporaryBranchName, branchLockKey, worktreeDirectoryName } from '../command/branch-name.ts';
import { git, gitFailed, gitOutput, type GitCallOptions } from '../command/git.ts';
import { lockReason } from '../checkout/lock-reason.ts';
import { acquireLock } from '../command/lock.ts';
import { filterFailure, verifiedCheckoutConfig } from '../filters/checkout-config.ts';
import { markStart } from '../recovered/start-marks.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { ensureTruecastFolder } from '../../support/truecast-folder.ts';
import { MIN_FILES_MS, worktreeCommand, findAdminDirectory } from '../worktree/worktree-list.ts';
import { freePath } from '../worktree/add-worktree.ts';
import { removeWithFiles } from '../worktree/remove-worktree.ts';
import { worktreePaths, type LockedWorktree } from '../worktree/worktree.ts';

export interface CleanCheckoutOptions extends GitCallOptions {
  readonly repository: Repository;
  /** Full id of the first commit to check out. */
  readonly commit: string;
}

/** A commit and its tree, as full ids. */
export interface CommitId {
  readonly commit: string;
  readonly tree: string;
}

// Without replaced objects: an agent without a sandbox can replace the objects of its commit.
const EXACT = 'core.useReplaceRefs=false';

/** Returns the full ids of a commit. @param revision - full id */
export async function readCommitId(
  repository: Repository,
  revision: string,
  call: GitCallOptions,
): Promise<CommitId> {
  const options = { ...call, cwd: repository.topLevel, paths: pathsOf(repository), config: [EXACT] };
  const ids = await gitOutput(['rev-parse', `${revision}^{commit}`, `${revision}^{tree}`], options);
  const [commit = '', tree = ''] = ids.split('\n');
  return { commit, tree };
}

/**
 * Checks out a commit in a new worktree with a detached HEAD. Remove it with `removeCleanCheckout`.
 *
 * @throws RepositoryError `git-failed`, `timeout`; the signal's reason
 */
export async function openCleanCheckout(options: CleanCheckoutOptions): Promise<LockedWorktree> {
  const { repository, commit } = options;
  const now = new Date();
  const name = temporaryBranchName({ name: 'check', now, random: randomBytes(3) });
  const lock = await acquireLock({
    commonDir: repository.commonDir,
    key: branchLockKey(name),
    subject: 'A clean checkout',
    command: `the check of ${commit}`,
    now,
  });
  try {
    const folder = ensureTruecastFolder(repository.mainTopLevel, 'worktrees');
    const path = await freePath(join(folder, worktreeDirectoryName(name)));
    const add = ['add', '--quiet', '--detach', '--no-checkout'];
    const args = [...add, '--lock', '--reason', lockReason(false), path, commit];
    const result = await worktreeCommand(repository, args, options);
    const gitDir = result.exitCode === 0 ? await findAdminDirectory(repository.commonDir, path) : undefined;
    if (gitDir === undefined) throw gitFailed(['worktree', ...args], result, repository.topLevel);
    const checkout: LockedWorktree = {
      path,
      gitDir,
      commonDir: repository.commonDir,
      branch: undefined,
      baseSha: commit,
      isReused: false,
      isNewBranch: false,
      wasDirty: false,
      marks: markStart({ gitDir, commonDir: repository.commonDir, hostBranch: undefined }),
      strategy: { type: 'branch', branch: name },
      repository,
      lock,
    };
    try {
      await moveCleanCheckout(checkout, commit, options);
      return checkout;
    } catch (error) {
      await removeFiles(checkout, options);
      throw error;
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Replaces every tracked file by the one of another commit. Other files are kept, except where the
 * commit has a file.
 */
export async function moveCleanCheckout(
  checkout: LockedWorktree,
  commit: string,
  { timeoutMs, signal }: GitCallOptions,
): Promise<void> {
  const { repository, path } = checkout;
  const args = ['reset', '--hard', '--quiet', commit];
  const config = await verifiedCheckoutConfig({ repository, start: commit, timeoutMs, signal });
  const result = await git(args, {
    timeoutMs: Math.max(timeoutMs, MIN_FILES_MS),
    signal,
    cwd: path,
    paths: worktreePaths(checkout),
    config: [...config, EXACT],
  });
  if (result.exitCode !== 0) throw filterFailure(result, repository) ?? gitFailed(args, result, path);
}

/** Removes the checkout with everything in it. A failure is left to `truecast clean`. */
export async function removeCleanCheckout(checkout: LockedWorktree, timeoutMs: number): Promise<void> {
  try {
    await removeFiles(checkout, { timeoutMs });
  } finally {
    await checkout.lock.release();
  }
}

/** Without a signal: an aborted run leaves no checkout behind. */
async function removeFiles(
  { repository, path }: LockedWorktree,
  { timeoutMs }: Pick<GitCallOptions, 'timeoutMs'>,
): Promise<void> {
  await removeWithFiles(repository, path, { timeoutMs });
}
