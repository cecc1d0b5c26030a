/** Landing of a checked commit: exactly that commit, or a merge of it that was checked too. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { git, type GitCallOptions } from '../../git/command/git.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import {
  mergeToHead,
  withMergeLock,
  type MergeToHeadOptions,
  type MergeOutcome,
} from '../../git/worktree/merge.ts';
import { landCommit } from '../../git/landing/land-commit.ts';
import type { MergeSource } from '../../git/worktree/write-merge.ts';
import { inMergeQueue } from '../../git/landing/merge-queue.ts';
import { landPlanned, planLanding, type Landing } from '../../git/landing/plan-landing.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';

export interface CommitVerdict {
  readonly commit: string;
  /** The objection. Undefined if the check passed. */
  readonly reason: string | undefined;
}

/** Runs a check on a clean checkout of a commit. */
export type CommitCheck = (commit: string) => Promise<CommitVerdict>;

/** A commit on which the check of the answer passed. */
export interface VerifiedCommit {
  readonly commit: string;
  /** Runs the check on another commit. */
  readonly verify: CommitCheck;
}

/** Checks of a landing. Without any, the commit is only reviewed. */
export interface LandingChecks {
  readonly verified: VerifiedCommit | undefined;
  /** The check of the branch strategy, which runs on each commit that would land. */
  readonly mergeCheck: CommitCheck | undefined;
}

/**
 * Merges a commit: plan → review → check → landing. The check of the answer runs only if the target has
 * moved since the run began, because the commit itself has passed it. No check runs under the merge lock.
 *
 * @throws RepositoryError `check-failed`, `merge-conflict`: the checkout is unchanged, and the
 *   branch is kept
 */
export async function landChecked(
  options: MergeToHeadOptions,
  tip: string,
  { verified, mergeCheck }: LandingChecks,
): Promise<MergeOutcome> {
  const { worktree, beforeMerge, signal } = options;
  await options.after;
  const land = async (): Promise<MergeOutcome> => {
    const { outcome } = await landPlanned(worktree, {
      plan: () => planLanding(options, tip),
      async accept({ commit, onto }) {
        if (commit === onto) return;
        await beforeMerge?.({ hostSha: onto, tip });
        if (commit !== tip) await beforeMerge?.({ hostSha: onto, tip, tree: commit });
        if (commit !== tip && verified !== undefined) {
          assertVerified(worktree, await verified.verify(commit));
        }
        if (mergeCheck !== undefined) assertPassed(worktree, await mergeCheck(commit));
      },
      land(landing: Landing) {
        // Reviewed already.
        const limits = { ...options, beforeMerge: undefined, landing };
        const { branch: into } = worktree.repository;
        return into === undefined || mergeCheck === undefined
          ? mergeToHead(limits)
          : withMergeLock(limits, () => landCommit({ ...limits, into }));
      },
    });
    return outcome;
  };
  if (mergeCheck === undefined) return land();
  const { commonDir, repository, branch = 'HEAD' } = worktree;
  const into = repository.branch ?? 'HEAD';
  return inMergeQueue({ commonDir, into, command: `checked merge of ${branch}`, signal }, land);
}

function assertVerified(
  { branch = 'HEAD', repository }: MergeSource,
  { reason, commit }: CommitVerdict,
): void {
  if (reason === undefined) return;
  throw new RepositoryError(
    `\`${branch}\` was not merged: its check passed on the branch, but not on its merge with \`${repository.branch ?? 'HEAD'}\`, which has moved (merged as ${commit.slice(0, 12)}): ${cut(reason)} The checkout is unchanged and the branch is kept. Merge it by hand, run the check, and fix what fails.`,
    { code: 'check-failed' },
  );
}

/**
 * Refuses a commit that its check does not accept.
 *
 * @throws RepositoryError `check-failed` with the reason
 */
export function assertPassed(
  { branch = 'HEAD', repository, into = repository.branch ?? 'HEAD' }: MergeSource,
  { reason, commit }: CommitVerdict,
): void {
  if (reason === undefined) return;
  throw new RepositoryError(
    `\`${branch}\` was not merged: its check failed on its merge with \`${into}\` (${commit.slice(0, 12)}): ${cut(reason)} The checkout is unchanged and the branch is kept. Merge \`${into}\` into the branch, fix what fails, and merge it again.`,
    { code: 'check-failed', branch },
  );
}

/** Returns the error of a branch that moved after its check. Nothing is moved back. */
export function movedAfterCheck(
  { branch = 'HEAD' }: LockedWorktree,
  { commit }: VerifiedCommit,
  tip: string | undefined,
): RepositoryError {
  const now = tip === undefined ? 'was deleted' : `moved to ${tip}`;
  return new RepositoryError(
    `The check passed on ${commit}, but \`${branch}\` ${now} after it. A program of the agent still worked. All is kept: check the branch, or start from the checked commit with \`git branch <name> ${commit}\`.`,
    { code: 'check-failed' },
  );
}

/** Keeps those of an agent's commits that a commit contains. */
export async function commitsIn(
  { repository, baseSha }: LockedWorktree,
  { commits, tip }: { readonly commits: readonly CommitRef[]; readonly tip: string },
  call: GitCallOptions,
): Promise<CommitRef[]> {
  const listed = await git(['rev-list', tip, `^${baseSha}`, '--'], {
    ...call,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
  const contained = new Set(listed.stdout.split('\n'));
  return commits.filter(({ sha }) => contained.has(sha));
}
