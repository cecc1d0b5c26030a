/** Owns the end of a worktree: removed when all of it is in commits, kept otherwise. */
import { basename, dirname, join } from 'node:path';
import { isTemporaryBranch, worktreeLockKey } from './branch-name.ts';
import { git, type GitCallOptions } from './git.ts';
import { readLockHolder } from './lock.ts';
import { isPathWithin } from './path-within.ts';
import { isThere } from './quarantine.ts';
import { pathsOf, type Repository } from './repository.ts';
import { readStatus } from './status.ts';
import { worktreesFolder } from './truecast-folder.ts';
import { listAdminDirectories } from './worktree-list.ts';
import { worktreeCommand } from './worktree-command.ts';
import { worktreePaths, type Worktree } from './worktree.ts';

/** What became of a worktree. */
export interface RemovalOutcome {
  readonly isRemoved: boolean;
  /** True when it holds work that no commit holds. */
  readonly isDirty: boolean;
}

/** What `removeWorktree` takes. */
export interface RemoveWorktreeOptions extends GitCallOptions {
  /** What looks at the worktree meanwhile: nothing is removed before it is done. */
  readonly after?: Promise<unknown>;
  /** The branch is the caller's to delete. @default false */
  readonly keepsBranch?: boolean;
}

/**
 * Removes a worktree that this run made, unless it holds work that no commit of a branch holds. Ignored files go with it.
 *
 * A temporary branch without a commit goes too. Verify the worktree first (`verifyWorktree`). A worktree that was there before, and the caller's own checkout, stay in any case.
 */
export async function removeWorktree(
  worktree: Worktree,
  { after, keepsBranch = false, ...options }: RemoveWorktreeOptions,
): Promise<RemovalOutcome> {
  const { repository, path, isReused } = worktree;
  if (!(await isThere(path))) return { isRemoved: false, isDirty: false };
  const checkedOut = { paths: worktreePaths(worktree), trustedConfig: repository.trustedConfig };
  const [{ isDirty }] = await Promise.all([readStatus(checkedOut, options), after]);
  if (isReused || isDirty) return { isRemoved: false, isDirty };
  const { exitCode } = await worktreeCommand(repository, ['remove', '--force', '--force', path], options);
  if (exitCode === 0 && !keepsBranch) await deleteUnusedBranch(worktree, options);
  return { isRemoved: exitCode === 0, isDirty };
}

/** A temporary branch that nothing was committed on would be left behind by a run that failed. */
async function deleteUnusedBranch(
  { branch, baseSha, repository, commonDir }: Worktree,
  options: GitCallOptions,
): Promise<void> {
  if (branch === undefined || !isTemporaryBranch(branch)) return;
  if (!(await isThere(join(commonDir, 'refs', 'heads', branch)))) return;
  // Git itself compares: a branch that moved stays.
  await git(['update-ref', '-d', `refs/heads/${branch}`, baseSha], {
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
}

/**
 * Makes git forget worktrees of ours whose folder is gone, and returns their paths. Those of a run that is alive, and those elsewhere, stay.
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
