/** Removal of a worktree. A worktree with uncommitted work is kept. */
import { basename, dirname, join } from 'node:path';
import { isTemporaryBranch, worktreeLockKey } from '../command/branch-name.ts';
import { listAdminDirectories } from '../checkout/admin-directories.ts';
import { git, type GitCallOptions, type GitResult } from '../command/git.ts';
import { readLockHolder } from '../command/lock.ts';
import { removeTree } from '../../process/temporary-folder.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { isThere } from '../command/quarantine.ts';
import { pathsOf, type Repository } from '../repository/repository.ts';
import { isUnfinished } from './other-work.ts';
import { readStatus } from './status.ts';
import { worktreesFolder } from '../../support/truecast-folder.ts';
import { worktreeCommand } from './worktree-list.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';

export interface RemovalOutcome {
  readonly isRemoved: boolean;
  /** True if the worktree contains uncommitted work. */
  readonly isDirty: boolean;
}

export interface RemoveWorktreeOptions extends GitCallOptions {
  /** Pending work that reads the worktree. Nothing is removed before it is done. */
  readonly after?: Promise<unknown>;
  /** Called when git has started to remove the worktree. */
  readonly whileRemoving?: (() => void) | undefined;
  /** True if the caller deletes the branch. @default false */
  readonly keepsBranch?: boolean;
  /** Also deletes a branch without commits that was created for the worktree. @default false */
  readonly deletesNewBranch?: boolean;
}

/**
 * Removes a worktree that this run created, unless it contains work that is not in a commit of a
 * branch. Ignored files are removed with it.
 *
 * A temporary branch without commits is removed too. Verify the worktree first (`verifyWorktree`).
 * A worktree that existed before, and the caller's own checkout, are always kept.
 */
export async function removeWorktree(
  worktree: LockedWorktree,
  { after, whileRemoving, keepsBranch = false, deletesNewBranch = false, ...options }: RemoveWorktreeOptions,
): Promise<RemovalOutcome> {
  const { repository, path, isReused } = worktree;
  if (!(await isThere(path))) return { isRemoved: false, isDirty: false };
  const checkedOut = {
    paths: worktreePaths(worktree),
    trustedCommit: worktree.baseSha,
    trustedConfig: repository.trustedConfig,
  };
  const [status] = await Promise.all([readStatus(checkedOut, options), after]);
  // Without its worktree, a merge or rebase could not be continued.
  const isDirty = status.isDirty || isUnfinished(worktree.gitDir);
  if (isReused || isDirty) return { isRemoved: false, isDirty };
  const removing = worktreeCommand(repository, ['remove', '--force', '--force', path], options);
  whileRemoving?.();
  const { exitCode } = await removing;
  // One that existed before can have commits of an earlier run.
  const isUnused = worktree.isNewBranch && (deletesNewBranch || isTemporaryBranch(worktree.branch ?? ''));
  if (exitCode === 0 && !keepsBranch && isUnused) await deleteUnusedBranch(worktree, options);
  return { isRemoved: exitCode === 0, isDirty };
}

/**
 * Removes a throw-away worktree with everything in it, also without its `.git` and with folders that
 * git cannot list. Returns git's last result.
 */
export async function removeWithFiles(
  repository: Repository,
  path: string,
  options: GitCallOptions,
): Promise<GitResult> {
  const args = ['remove', '--force', '--force', path];
  const removed = await worktreeCommand(repository, args, options);
  if (removed.exitCode === 0) return removed;
  await removeTree(path);
  return worktreeCommand(repository, args, options);
}

/** Deletes a branch without commits, which a failed run would leave behind. */
async function deleteUnusedBranch(
  { branch, baseSha, repository, commonDir }: LockedWorktree,
  options: GitCallOptions,
): Promise<void> {
  if (branch === undefined) return;
  if (!(await isThere(join(commonDir, 'refs', 'heads', branch)))) return;
  // Git compares the tip, so a branch that has moved is kept.
  await git(['update-ref', '-d', `refs/heads/${branch}`, baseSha], {
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
}

/**
 * Removes git's entries of Truecast worktrees whose folder is missing, and returns their paths.
 * Entries of live runs, and of worktrees elsewhere, are kept.
 */
export async function pruneWorktrees(repository: Repository, options: GitCallOptions): Promise<string[]> {
  const folder = worktreesFolder(repository.mainTopLevel);
  const pruned: string[] = [];
  for (const { gitFile } of await listAdminDirectories(repository.commonDir)) {
    const path = dirname(gitFile);
    if (!isPathWithin(folder, path) || (await isThere(path))) continue;
    const key = worktreeLockKey(basename(path));
    if ((await readLockHolder({ commonDir: repository.commonDir, key })) !== undefined) continue;
    const { exitCode } = await worktreeCommand(repository, ['remove', '--force', '--force', path], options);
    if (exitCode === 0) pruned.push(path);
  }
  return pruned;
}
