/** Landing of a verified commit: exactly that commit, or a merge of it that was verified too. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { git, type GitCallOptions } from '../../git/command/git.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import { mergeToHead, type MergeToHeadOptions, type MergeOutcome } from '../../git/worktree/merge.ts';
import { landPlanned, planLanding } from '../../git/landing/plan-landing.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';

export interface CommitVerdict {
  readonly commit: string;
  /** The objection. Undefined if the check passed. */
  readonly reason: string | undefined;
}

/** A commit on which the check passed. */
export interface VerifiedCommit {
  readonly commit: string;
  /** Runs the check on another commit. */
  verify(commit: string): Promise<CommitVerdict>;
}

/**
 * Merges a verified commit. If the target has moved since the run began, the merge with it is
 * verified first, without the merge lock.
 *
 * @throws RepositoryError `check-failed`, `merge-conflict`: the checkout is unchanged, and the
 *   branch is kept
 */
export async function landVerified(
  options: MergeToHeadOptions,
  verified: VerifiedCommit,
): Promise<MergeOutcome> {
  const { worktree } = options;
  await options.after;
  const { outcome } = await landPlanned(worktree, {
    plan: () => planLanding(options, verified.commit),
    async accept({ commit, tip, onto }) {
      if (commit !== tip && commit !== onto) assertPassed(worktree, await verified.verify(commit));
    },
    land: (landing) => mergeToHead({ ...options, landing }),
  });
  return outcome;
}

function assertPassed(
  { branch = 'HEAD', repository }: Pick<LockedWorktree, 'branch' | 'repository'>,
  { reason, commit }: CommitVerdict,
): void {
  if (reason === undefined) return;
  throw new RepositoryError(
    `\`${branch}\` was not merged: its check passed on the branch, but not on its merge with \`${repository.branch ?? 'HEAD'}\`, which has moved (merged as ${commit.slice(0, 12)}): ${cut(reason)} The checkout is unchanged and the branch is kept. Merge it by hand, run the check, and fix what fails.`,
    { code: 'check-failed' },
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
