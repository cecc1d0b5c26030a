/**
 * Early reads of settling: git commands that start as soon as a guest's commits are handed over,
 * while its sandbox is closed.
 */
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import type { GitCallOptions, GitResult } from '../../git/command/git.ts';
import { collectCommits, commitListing, type CollectedCommits } from '../../git/worktree/commits.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { createTipReads, type TipReads, type RunWorkspace } from '../context/workspace.ts';
import type { WorkingContext } from '../context/run-context.ts';
import type { PlaceSettings } from '../options/place-options.ts';
import { treeComparison, type TreeRange } from '../review/tree-changes.ts';

/** Reads in progress. Every failure is handled where the result is used. */
export interface EarlyReads {
  readonly collecting: Promise<CollectedCommits>;
  /** Undefined if a merge follows. The merge reviews the merged changes instead. */
  readonly ownChanges: Promise<readonly SensitiveChange[]> | undefined;
  /** Review of the merge that is expected. Undefined without a merge, or without commits. */
  readonly merge: Promise<ReviewedMerge | undefined> | undefined;
}

/** Changes that the merge of a tip into a commit adds. */
export interface ReviewedMerge {
  readonly hostSha: string;
  readonly tip: string;
  readonly changes: Promise<readonly SensitiveChange[]>;
}

/** Creates the reads that a sandbox can run while it hands a run's work over. */
export function prepareReads(
  { branchStrategy }: Pick<PlaceSettings, 'branchStrategy'>,
  worktree: LockedWorktree,
): TipReads {
  const isMerging = branchStrategy.type === 'merge-to-head';
  return createTipReads(commitListing(worktree), isMerging ? undefined : treeComparison(worktree.baseSha));
}

/**
 * Starts the reads. Undefined for a sandbox that shares the host's git directory, because the
 * directory must be verified first.
 *
 * The reads name the git directory and read only its objects and references. No guest with its own
 * store can write them.
 */
export function startEarlyReads({ options, workspace, progress }: WorkingContext): EarlyReads | undefined {
  if (workspace.handle.handOver === undefined) return undefined;
  const call = { timeoutMs: options.timeouts.commitCollectionMs };
  const isMerging = options.branchStrategy.type === 'merge-to-head';
  const { worktree, reads } = workspace;
  const collecting = collectCommits(worktree, call, { listed: reads?.listing, made: progress.made });
  const ownChanges = isMerging ? undefined : reviewOwnCommits(workspace, call, reads?.comparison);
  // Both are awaited only if the run succeeds.
  collecting.catch(() => undefined);
  ownChanges?.catch(() => undefined);
  const merge =
    isMerging && options.publish === undefined ? reviewMerge(workspace, { collecting, call }) : undefined;
  merge?.catch(() => undefined);
  return { collecting, ownChanges, merge };
}

/** Usually the host's branch has not moved, and the last commit is the tip. */
async function reviewMerge(
  { worktree, review }: Pick<RunWorkspace, 'worktree' | 'review'>,
  { collecting, call }: { readonly collecting: Promise<CollectedCommits>; readonly call: GitCallOptions },
): Promise<ReviewedMerge | undefined> {
  const hostSha = worktree.baseSha;
  const tip = (await collecting).commits.at(-1)?.sha;
  if (tip === undefined) return undefined;
  const changes = review.reviewCommits({ base: hostSha, tip, sinceMergeBase: true }, call);
  changes.catch(() => undefined);
  return { hostSha, tip, changes };
}

/** Reviews the commits of the run's own branch. */
export function reviewOwnCommits(
  { worktree, review }: Pick<RunWorkspace, 'worktree' | 'review'>,
  call: GitCallOptions,
  compared?: GitResult,
): Promise<readonly SensitiveChange[]> {
  return review.reviewCommits(ownRange(worktree), call, compared);
}

function ownRange({ branch, baseSha }: LockedWorktree): TreeRange {
  const tip = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  return { base: baseSha, tip, sinceMergeBase: false };
}
