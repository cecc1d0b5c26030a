/** Owns the end of a run: what the guest wrote is verified, commits are collected, the branch is merged when asked, and only clean worktrees go. */
import type { CommitRef, RunEvidence } from '../errors/run-evidence.ts';
import { collectCommits } from './git/commits.ts';
import { mergeToHead } from './git/merge.ts';
import { removeWorktree } from './git/remove-worktree.ts';
import { verifyWorktree } from './git/verify.ts';
import type { SetupOptions } from './places/setup-context.ts';
import type { Workspace } from './places/workspace.ts';
import type { WorkingContext } from './run-context.ts';
import { totalUsage } from './run-progress.ts';

/** What a run that succeeded left behind. */
export interface Settled {
  readonly commits: CommitRef[];
  readonly branch: string;
  readonly preservedWorktreePath: string | undefined;
}

/** What settling needs of whoever worked in a worktree. */
export interface SettleContext {
  readonly options: Pick<SetupOptions, 'branchStrategy' | 'timeouts'>;
  readonly workspace: Pick<Workspace, 'worktree' | 'snapshot'>;
  readonly warn: (message: string) => void;
  readonly emit?: (event: { readonly type: 'commits'; readonly commits: readonly CommitRef[] }) => void;
}

/** What of a place outlives the run. */
export interface SettleOptions {
  /** The branch stays after its merge, for the next run. */
  readonly keepsBranch: boolean;
  /** The worktree stays, clean or not, for the next run. */
  readonly keepsWorktree: boolean;
}

/**
 * Settles a run that succeeded.
 *
 * @throws RepositoryError `merge-conflict`: the branch and its worktree are kept, the caller's checkout is as it was
 */
export async function settleSuccess(
  context: SettleContext,
  { keepsBranch, keepsWorktree }: SettleOptions,
): Promise<Settled> {
  const { options, workspace } = context;
  const { worktree } = workspace;
  const commits = await collect(context);
  const isMerged = options.branchStrategy.type === 'merge-to-head';
  const call = { timeoutMs: options.timeouts.gitSetupMs };
  if (isMerged) {
    await mergeToHead({
      worktree,
      now: new Date(),
      timeoutMs: options.timeouts.mergeToHostMs,
      keepsBranch,
      onWarning: context.warn,
    });
  }
  const isKept = keepsWorktree || options.branchStrategy.type === 'head';
  const removal = isKept ? undefined : await removeWorktree(worktree, call);
  const branch = (isMerged ? worktree.repository.branch : worktree.branch) ?? 'HEAD';
  return { commits, branch, preservedWorktreePath: removal?.isDirty === true ? worktree.path : undefined };
}

/** Collects what a run that failed left behind; removes nothing, and never fails itself. */
export async function settleFailure(context: WorkingContext): Promise<RunEvidence> {
  const { options, progress, workspace } = context;
  const { worktree } = workspace;
  const commits = await collect(context);
  const usage = totalUsage(progress);
  const { sessionId, sessionFilePath } = progress;
  return {
    commits,
    ...(worktree.branch !== undefined && { branch: worktree.branch }),
    ...(options.branchStrategy.type !== 'head' && { preservedWorktreePath: worktree.path }),
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionFilePath !== undefined && { sessionFilePath }),
    ...(usage !== undefined && { usage }),
  };
}

/** Host-side git comes after the check of what the guest could have planted for it. */
async function collect(context: SettleContext): Promise<CommitRef[]> {
  const { options, workspace } = context;
  const { worktree, snapshot } = workspace;
  const call = { timeoutMs: options.timeouts.commitCollectionMs };
  if (snapshot !== undefined) {
    for (const finding of await verifyWorktree(snapshot, call)) {
      context.warn(
        `The agent changed \`${finding.path}\` (${finding.what}), which could run code on the host: ${finding.action}.`,
      );
    }
  }
  const { commits, warning } = await collectCommits(worktree, call);
  if (warning !== undefined) context.warn(warning);
  context.emit?.({ type: 'commits', commits });
  return commits;
}
