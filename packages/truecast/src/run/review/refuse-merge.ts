/** Refusal of a merge that contains sensitive changes. The branch and its worktree are kept. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/sensitive-change';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { describeChanges, refusedChanges, type SensitiveChangesPolicy } from './sensitive-changes-policy.ts';

/** Inputs of the decision. */
export interface AssertMergeableOptions {
  readonly worktree: LockedWorktree;
  readonly changes: readonly SensitiveChange[];
  readonly policy: SensitiveChangesPolicy;
}

/** @throws RepositoryError `sensitive-changes` with all changes as evidence */
export function assertMergeable({ worktree, changes, policy }: AssertMergeableOptions): void {
  const refused = refusedChanges(changes, policy);
  if (refused.length === 0) return;
  const { repository, branch = 'HEAD' } = worktree;
  const when = refused.every(({ runsAt }) => runsAt === 'git') ? 'at the next git command' : 'later';
  const target = repository.branch ?? 'HEAD';
  const look = `git diff --no-ext-diff --no-textconv ${target}...${branch}`;
  throw new RepositoryError(
    `\`${branch}\` was not merged: it changes files that run code on this machine ${when}: ${describeChanges(refused)}. The checkout is unchanged and the branch is kept. Read \`${look}\` in \`${repository.topLevel}\`, then run \`git merge ${branch}\`, or allow it with \`policies.sensitiveChanges: 'warn'\` (\`--sensitive-changes warn\`).`,
    {
      code: 'sensitive-changes',
      sensitiveChanges: changes,
      ...(worktree.branch !== undefined && { branch }),
    },
  );
}
