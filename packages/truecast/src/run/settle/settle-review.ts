/** Review at the end of a run: files first, then the commits, before they are merged. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import type { CollectedCommits } from '../../git/worktree/commits.ts';
import type { GitCallOptions } from '../../git/command/git.ts';
import type { MergeRange } from '../../git/worktree/merge.ts';
import type { SettledContext } from '../context/run-context.ts';
import { reviewOwnCommits, type EarlyReads } from './early-reads.ts';
import { NOT_REVIEWED } from '../review/review-tree.ts';
import {
  combineChanges,
  describeChanges,
  refusedChanges,
  type SensitiveChangesPolicy,
} from '../review/sensitive-changes-policy.ts';
import type { WorkReview } from '../review/work-review.ts';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { MergeSource } from '../../git/worktree/write-merge.ts';

export interface SettleReview {
  /** Resolves when nested repositories that can run a program are renamed. */
  readonly files: Promise<readonly SensitiveChange[]>;
  /** @throws RepositoryError `sensitive-changes` if the policy refuses the changes of a merge */
  beforeMerge(range: MergeRange): Promise<void>;
  /** Returns all changes of a successful run. For a merge, returns those that it merged. */
  changes(collected: CollectedCommits): Promise<readonly SensitiveChange[]>;
  /**
   * Returns the changes that a failed run left. Never rejects: a failure becomes a warning and a
   * change `not-reviewed`.
   */
  left(collected: CollectedCommits): Promise<readonly SensitiveChange[]>;
}

/** Starts the review. Call it after the git directory was verified. */
export function startSettleReview(
  { options, workspace, warn }: SettledContext,
  early?: EarlyReads,
): SettleReview {
  const { worktree, review } = workspace;
  const call = { timeoutMs: options.timeouts.commitCollectionMs };
  const files = reviewLeftFiles(review, { call, warn });
  // Every caller awaits it later. Until then, another failure takes precedence.
  files.catch(() => undefined);
  // A published branch is not merged.
  const isMerging = options.branchStrategy.type === 'merge-to-head' && options.publish === undefined;
  let merged: Promise<readonly SensitiveChange[]> | undefined;
  const reviewOwn = (): Promise<readonly SensitiveChange[]> => reviewOwnCommits(workspace, call);
  // Does not wait for the list of commits, because guests usually commit.
  const reviewing = early?.ownChanges ?? (review.hasGuest && !isMerging ? reviewOwn() : undefined);
  reviewing?.catch(() => undefined);
  const ownCommits = async ({ commits, warning }: CollectedCommits): Promise<readonly SensitiveChange[]> => {
    // If the list is incomplete, the tip must be reviewed.
    if (commits.length > 0 || warning !== undefined) return reviewing ?? reviewOwn();
    // It has started before the commits were listed. No git of a run outlives it.
    await reviewing?.catch(() => undefined);
    return [];
  };
  return {
    files,
    async beforeMerge({ hostSha, tip, tree }) {
      const reviewed = await early?.merge;
      const isSame = reviewed?.hostSha === hostSha && reviewed.tip === tip;
      if (tree !== undefined)
      // What the merge writes, not what the branch changed.
      {
        merged = review.reviewCommits({ base: hostSha, tip: tree, sinceMergeBase: false }, call);
      } else {
        merged = isSame
          ? reviewed.changes
          : review.reviewCommits({ base: hostSha, tip, sinceMergeBase: true }, call);
      }
      const changes = combineChanges(await merged, await files);
      assertMergeable({ worktree, changes, policy: options.sensitiveChanges });
    },
    async changes(collected) {
      // Nothing is merged if the agent itself has moved the caller's branch to its commits.
      const changes = merged ?? ownCommits(collected);
      return combineChanges(await changes, await files);
    },
    async left(collected) {
      const orUnknown = (error: unknown): readonly SensitiveChange[] => {
        warn(`The agent's work could not be reviewed: ${cut(String(error))}`);
        return [NOT_REVIEWED];
      };
      const [commits, found] = await Promise.all([
        ownCommits(collected).catch(orUnknown),
        files.catch(orUnknown),
      ]);
      return combineChanges(commits, found);
    },
  };
}

/**
 * Reviews the files since the last review, with a warning for each repository that was renamed and
 * each file whose rights were removed.
 */
export async function reviewLeftFiles(
  review: WorkReview,
  { call, warn }: { readonly call: GitCallOptions; readonly warn: (message: string) => void },
): Promise<readonly SensitiveChange[]> {
  for (const sentence of await review.clearRights()) warn(sentence);
  const found = await review.reviewFiles(call);
  for (const { path, movedTo } of found) {
    if (movedTo === undefined) continue;
    warn(
      `The agent left a repository at \`${cut(path)}\` that can run programs at the next git command. It was moved to \`${cut(movedTo)}\`.`,
    );
  }
  return found;
}

/** Inputs of the decision. */
interface AssertMergeableOptions {
  readonly worktree: Pick<MergeSource, 'repository' | 'branch' | 'into'>;
  readonly changes: readonly SensitiveChange[];
  readonly policy: SensitiveChangesPolicy;
}

/** @throws RepositoryError `sensitive-changes` with all changes as evidence */
export function assertMergeable({ worktree, changes, policy }: AssertMergeableOptions): void {
  const refused = refusedChanges(changes, policy);
  if (refused.length === 0) return;
  const { repository, branch = 'HEAD' } = worktree;
  const when = refused.every(({ runsAt }) => runsAt === 'git') ? 'at the next git command' : 'later';
  const target = worktree.into ?? repository.branch ?? 'HEAD';
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
