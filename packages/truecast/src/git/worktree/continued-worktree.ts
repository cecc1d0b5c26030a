/** Worktree that continues the work of an earlier execution: its commits count from the first one. */
import type { GitCallOptions } from '../command/git.ts';
import { git } from '../command/git.ts';
import { pathsOf } from '../repository/repository.ts';
import type { LockedWorktree } from './worktree.ts';

/** Facts of the first execution. */
export interface ContinuedWork {
  /** Commit before the first agent. */
  readonly commitsSince: string;
  /** Branch that was checked out then, into which a merge goes. */
  readonly target: string | undefined;
  /** True if the run created its branch. */
  readonly isNewBranch: boolean;
  /** True if the run created its worktree, and removes it. */
  readonly isOwnWorktree: boolean;
}

/** Returns the worktree as the first execution saw it. One that was created now is unchanged. */
export async function continuedWorktree(
  worktree: LockedWorktree,
  { commitsSince, target, isNewBranch, isOwnWorktree }: ContinuedWork,
  call: GitCallOptions,
): Promise<LockedWorktree> {
  const { repository, baseSha: foundAt, branch } = worktree;
  if (worktree.isNewBranch) return worktree;
  // The branch itself is a known tip, and so is its copy on a remote. What was merged into it stays known.
  const args = ['rev-list', '--first-parent', `refs/heads/${branch}`, `^${commitsSince}`, '--'];
  const listed = await git(args, { ...call, cwd: repository.topLevel, paths: pathsOf(repository) });
  const own = new Set(listed.stdout.split('\n'));
  return {
    ...worktree,
    baseSha: commitsSince,
    foundAt,
    isNewBranch: isNewBranch && foundAt === commitsSince,
    isReused: worktree.isReused && !isOwnWorktree,
    repository: {
      ...repository,
      branch: target,
      knownTips: repository.knownTips.filter((tip) => !own.has(tip)),
    },
  };
}
