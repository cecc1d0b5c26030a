/** Landing of a planned commit on a branch, checked out here or nowhere. */
import { removeReferenceLocks } from '../checkout/stale-locks.ts';
import { git, gitFailed } from '../command/git.ts';
import { branchInUse } from '../worktree/add-worktree.ts';
import { mergeLocked, type MergeOutcome, type MergeToHeadOptions } from '../worktree/merge.ts';
import { listWorktrees } from '../worktree/worktree-list.ts';
import { hostCall } from '../worktree/write-merge.ts';
import { afterLanding } from './after-landing.ts';
import type { Landing } from './plan-landing.ts';
import { warnAboutSkippedHooks } from './skipped-hooks.ts';

export interface LandCommitOptions extends MergeToHeadOptions {
  readonly landing: Landing;
  /** Branch that moves. */
  readonly into: string;
}

/**
 * Moves a branch to the planned commit, if it is still where the plan found it. Writes the files of
 * the caller's checkout if the branch is checked out there. The caller holds the lock of merges.
 *
 * @throws RepositoryError `branch-in-use` if it is checked out elsewhere; as `mergeToHead()`
 */
export async function landCommit(options: LandCommitOptions): Promise<MergeOutcome> {
  const { worktree, into, landing, onWarning } = options;
  const { repository } = worktree;
  const isCheckedOut = repository.branch === into;
  const outcome = await (isCheckedOut ? mergeLocked(options) : moveBranch(options));
  if (outcome.isMerged) {
    const isNewCommit = landing.commit !== landing.tip;
    await afterLanding(() => warnAboutSkippedHooks({ repository, isNewCommit, isCheckedOut, onWarning }), {
      missing: 'your git hooks were not looked up. A merge runs none of them.',
      onWarning,
    });
  }
  return outcome;
}

/** Moves a branch that is checked out nowhere. */
async function moveBranch(options: LandCommitOptions): Promise<MergeOutcome> {
  const { worktree, into, landing, signal, timeoutMs } = options;
  const { repository } = worktree;
  const holder = (await listWorktrees(repository, { timeoutMs, signal })).find(
    ({ branch }) => branch === into,
  );
  if (holder !== undefined) throw branchInUse(into, holder.path);
  // Of a merge that was killed. One that must stay is named by the error of git.
  await removeReferenceLocks([`refs/heads/${into}`], {
    path: repository.mainTopLevel,
    commonDir: repository.commonDir,
  });
  const args = ['update-ref', '-m', `merge ${worktree.branch ?? 'HEAD'}`, `refs/heads/${into}`];
  const host = await hostCall({ ...options, signal: undefined });
  const moved = await git([...args, landing.commit, landing.onto], host);
  const outcome = { headSha: landing.commit, tip: landing.tip, isAttached: false };
  if (moved.exitCode === 0) return { ...outcome, isMerged: true };
  // Git names the expected id if the branch is elsewhere.
  if (!moved.stderr.includes(landing.onto)) throw gitFailed(args, moved, repository.topLevel);
  return { ...outcome, isMerged: false, hasMoved: true };
}
