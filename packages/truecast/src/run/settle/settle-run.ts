/**
 * End of a run: verifies the guest's files, collects commits, merges the branch if requested,
 * and removes only clean worktrees.
 */
import type {
  CommitRef,
  RunEvidence,
  SensitiveChange,
} from '@truecast/core/internal/errors/base/run-evidence';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { afterLanding } from '../../git/landing/after-landing.ts';
import { collectCommits, type CollectedCommits } from '../../git/worktree/commits.ts';
import { branchDeletion, deleteMergedBranch } from '../../git/worktree/delete-merged-branch.ts';
import type { MergeRange, MergeToHeadOptions } from '../../git/worktree/merge.ts';
import { keepOtherWork } from '../../git/worktree/other-work.ts';
import { removeWorktree, type RemovalOutcome } from '../../git/worktree/remove-worktree.ts';
import { verifyWithWarnings } from '../../git/worktree/verify.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { refuseCommittedAttachments } from '../attachments/refuse-committed.ts';
import type { Timeouts } from '../options/run-bounds.ts';
import { listedChanges } from '../review/sensitive-changes-policy.ts';
import {
  land,
  landedCommits,
  searchCommits,
  warnAboutDirtyFiles,
  type KnownOfWork,
  type Landed,
} from './land-branch.ts';
import { startSettleReview } from './settle-review.ts';
import type { SettledContext, WorkingContext } from '../context/run-context.ts';
import type { EarlyReads } from './early-reads.ts';
import { totalUsage } from '../context/run-progress.ts';

/** Results of a successful run. */
export interface Settled {
  readonly commits: CommitRef[];
  readonly branch: string;
  readonly preservedWorktreePath: string | undefined;
  readonly sensitiveChanges: readonly SensitiveChange[];
  readonly pullRequestUrl?: string;
}

/** Parts of a place that outlive the run. */
export interface SettleOptions extends KnownOfWork {
  /** Keeps the branch after its merge, for the next run. */
  readonly keepsBranch: boolean;
  /** Keeps the worktree, clean or not, for the next run. */
  readonly keepsWorktree: boolean;
}

/**
 * Settles a successful run.
 *
 * @throws RepositoryError `merge-conflict`, `sensitive-changes`: the branch and its worktree are
 *   kept, and the caller's checkout is unchanged
 */
export async function settleSuccess(
  context: SettledContext,
  { keepsBranch, keepsWorktree, early, ...known }: SettleOptions,
): Promise<Settled> {
  const { options, workspace } = context;
  const { worktree } = workspace;
  const { type } = options.branchStrategy;
  await verify(context);
  await refuseAttachments(context);
  if (known.checked === 'files') await warnAboutDirtyFiles(context);
  const collecting = collectAndKeep(context, early);
  const review = startSettleReview(context, early);
  const looking = Promise.all([collecting, review.files]);
  looking.catch(() => undefined);
  const merging = {
    worktree,
    now: new Date(),
    timeoutMs: options.timeouts.mergeToHostMs,
    after: looking,
    // Ends the wait for other checked merges, and their checks.
    signal: context.signal,
    async beforeMerge(range: MergeRange): Promise<void> {
      await review.beforeMerge(range);
      if (range.tree === undefined) await searchCommits(context, range.tip, [range.hostSha]);
    },
    onWarning: context.warn,
  };
  const landed = await land(context, merging, { looking, ...known });
  const { merged, pullRequestUrl, moved } = landed;
  const isKept = keepsWorktree || type === 'head';
  const removal = await cleanUp(context, landed, { merging, isKept, keepsBranch });
  const [collected] = await looking;
  const commits = moved === undefined ? collected.commits : await landedCommits(context, collected, moved);
  const found = await review.changes(collected);
  const branch = (merged === undefined ? worktree.branch : worktree.repository.branch) ?? 'HEAD';
  const preservedWorktreePath = removal?.isDirty === true ? worktree.path : undefined;
  const isOpen = keepsWorktree && type !== 'head';
  const sensitiveChanges =
    preservedWorktreePath === undefined && !isOpen
      ? found
      : workspace.review.quarantineHooks(found, { warn: context.warn, keepsCommitted: isOpen });
  return {
    commits,
    branch,
    preservedWorktreePath,
    sensitiveChanges: listedChanges(sensitiveChanges, options.sensitiveChanges),
    ...(pullRequestUrl !== undefined && { pullRequestUrl }),
  };
}

const LEFT_BEHIND = 'its worktree or branch is left. Remove it with `truecast clean`.';

/** Removes the worktree and the merged branch, after the work that reads them. */
async function cleanUp(
  context: SettledContext,
  landed: Landed,
  {
    merging,
    isKept,
    keepsBranch,
  }: {
    readonly merging: MergeToHeadOptions & { readonly worktree: LockedWorktree };
    readonly isKept: boolean;
    readonly keepsBranch: boolean;
  },
): Promise<RemovalOutcome | undefined> {
  const { merged, pullRequestUrl, moved } = landed;
  const hasLanded = merged !== undefined || pullRequestUrl !== undefined;
  const clean = <TResult>(work: () => Promise<TResult>): Promise<TResult | undefined> =>
    hasLanded ? afterLanding(work, { missing: LEFT_BEHIND, onWarning: context.warn }) : work();
  await using deletion =
    merged === undefined || keepsBranch || moved !== undefined
      ? undefined
      : await clean(() => branchDeletion(merging));
  const remove = (): Promise<RemovalOutcome> =>
    removeWorktree(merging.worktree, {
      timeoutMs: context.options.timeouts.gitSetupMs,
      ...(merging.after !== undefined && { after: merging.after }),
      keepsBranch: merged !== undefined,
      whileRemoving: deletion?.start,
    });
  const removal = isKept ? undefined : await clean(remove);
  if (merged !== undefined && deletion !== undefined) {
    await merging.after;
    const isWorktreeGone = removal?.isRemoved === true;
    await clean(() => deleteMergedBranch(merged, { ...merging, deletion, isWorktreeGone }));
  }
  return removal;
}

/**
 * Removes the worktree of a failed run without commits, and the branch that was created for it.
 * Uncommitted work is kept. Returns false if the worktree was kept.
 */
export async function discardWorktree(
  worktree: LockedWorktree,
  { gitSetupMs }: Required<Timeouts>,
): Promise<boolean> {
  if (worktree.strategy.type === 'head') return false;
  const removal = removeWorktree(worktree, { timeoutMs: gitSetupMs, deletesNewBranch: true });
  return (await removal.catch(() => undefined))?.isRemoved === true;
}

/** Collects what a failed run left behind. Removes nothing, and never fails itself. */
export async function settleFailure(context: WorkingContext): Promise<RunEvidence> {
  const { options, progress, workspace } = context;
  const { worktree } = workspace;
  await verify(context);
  const review = startSettleReview(context);
  const collected = await collect(context);
  await keepOther(context, collected).catch((error: unknown) => {
    context.warn(`The agent's work outside of its branch could not be kept: ${cut(String(error))}`);
  });
  const { warn } = context;
  const left = await review.left(collected);
  const isHead = options.branchStrategy.type === 'head';
  const sensitiveChanges = isHead
    ? left
    : workspace.review.quarantineHooks(left, { warn, keepsCommitted: false });
  const usage = totalUsage(progress);
  const { sessionId, sessionFilePath } = progress;
  return {
    commits: collected.commits,
    sensitiveChanges,
    ...(worktree.branch !== undefined && { branch: worktree.branch }),
    ...(progress.recovered.size > 0 && { recovered: [...progress.recovered.values()] }),
    ...(options.branchStrategy.type !== 'head' && { preservedWorktreePath: worktree.path }),
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionFilePath !== undefined && { sessionFilePath }),
    ...(usage !== undefined && { usage }),
  };
}

/**
 * Checks for files that the guest could have planted for git on the host. Runs before any git call.
 */
function verify({ options, workspace, warn }: SettledContext): Promise<void> {
  return verifyWithWarnings(workspace.snapshot, { timeoutMs: options.timeouts.commitCollectionMs, warn });
}

async function refuseAttachments({ options, workspace, progress }: SettledContext): Promise<void> {
  const { attachmentFolder: folder } = progress;
  const call = { timeoutMs: options.timeouts.commitCollectionMs };
  if (folder !== undefined) await refuseCommittedAttachments(workspace.worktree, folder, call);
}

async function collect(context: SettledContext, early?: EarlyReads): Promise<CollectedCommits> {
  const { options, workspace, progress } = context;
  const call = { timeoutMs: options.timeouts.commitCollectionMs };
  const { made } = progress;
  const collected = await (early?.collecting ?? collectCommits(workspace.worktree, call, { made }));
  if (collected.warning !== undefined) context.warn(collected.warning);
  context.emit?.({ type: 'commits', commits: collected.commits });
  return collected;
}

/** Runs at the same time as the next step, which inspects the worktree too. Both only read. */
function collectAndKeep(context: SettledContext, early: EarlyReads | undefined): Promise<CollectedCommits> {
  const collecting = collect(context, early).then(async (collected) => {
    await keepOther(context, collected);
    return collected;
  });
  // Prevents an unhandled rejection if the next step fails first.
  collecting.catch(() => undefined);
  return collecting;
}

/** A sandbox with its own git directory has done this in its hand-over. */
async function keepOther(context: SettledContext, collected: CollectedCommits): Promise<void> {
  const { options, workspace, progress, warn } = context;
  if (workspace.snapshot?.hasOwnGit === true) return;
  const { recovered, warnings } = await keepOtherWork(workspace.worktree, collected, {
    timeoutMs: options.timeouts.commitCollectionMs,
    kept: [...progress.recovered.values()].map(({ sha }) => sha),
  });
  for (const one of recovered) progress.recovered.set(one.ref, one);
  warnings.forEach(warn);
}
