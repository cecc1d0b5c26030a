/** Owns the end of a worktree: removed when all of it is in commits, kept otherwise. */
import { join } from 'node:path';
import { git, type GitCallOptions } from './git.ts';
import { readLockHolder } from './lock.ts';
import { isPathWithin } from './path-within.ts';
import { isThere } from './quarantine.ts';
import { pathsOf, type Repository } from './repository.ts';
import { readStatus } from './status.ts';
import { worktreesFolder } from './truecast-folder.ts';
import { listAdminDirectories } from './worktree-list.ts';
import { worktreePaths, type Worktree } from './worktree.ts';
import { basename, dirname } from 'node:path';

/** What became of a worktree. */
export interface RemovalOutcome {
  readonly isRemoved: boolean;
  /** True when it holds work that no commit holds. */
  readonly isDirty: boolean;
}

/**
 * Removes a worktree that this run made, unless it holds work that no commit of a branch holds. Ignored files go with it.
 *
 * Verify it first (`verifyWorktree`). A worktree that was there before, and the caller's own checkout, stay in any case.
 */
export async function removeWorktree(worktree: Worktree, options: GitCallOptions): Promise<RemovalOutcome> {
  const { repository, path, isReused } = worktree;
  if (!(await isThere(path))) return { isRemoved: false, isDirty: false };
  const checkedOut = { paths: worktreePaths(worktree), trustedConfig: repository.trustedConfig };
  const { isDirty } = await readStatus(checkedOut, options);
  if (isReused || isDirty) return { isRemoved: false, isDirty };
  const { exitCode } = await git(['worktree', 'remove', '--force', '--force', path], {
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
  return { isRemoved: exitCode === 0, isDirty };
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
    const key = `worktree:${basename(path).replace(/(-[0-9a-f]{8})-\d+$/u, '$1')}`;
    if ((await readLockHolder({ commonDir: repository.commonDir, key })) !== undefined) continue;
    const { exitCode } = await git(['worktree', 'remove', '--force', '--force', path], {
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      cwd: repository.topLevel,
      paths: pathsOf(repository),
    });
    if (exitCode === 0) pruned.push(join(path));
  }
  return pruned;
}
