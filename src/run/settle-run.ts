/** Owns the end of a run: what the guest wrote is verified, commits are collected, the branch is merged when asked, and only clean worktrees go. */
import type { CommitRef, RunEvidence } from '../errors/run-evidence.ts';
import { collectCommits } from './git/commits.ts';
import { deleteMergedBranch, mergeToHead } from './git/merge.ts';
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
  const { type } = options.branchStrategy;
  await verify(context);
  // Told while the next step looks at the worktree too; both only read.
  const collecting = collect(context);
  // A failure of the next step is told in its place.
  collecting.catch(() => undefined);
  const merging = {
    worktree,
    now: new Date(),
    timeoutMs: options.timeouts.mergeToHostMs,
    after: collecting,
    onWarning: context.warn,
  };
  const merged = type === 'merge-to-head' ? await mergeToHead(merging) : undefined;
  const isKept = keepsWorktree || type === 'head';
  const removal = isKept
    ? undefined
    : await removeWorktree(worktree, {
        timeoutMs: options.timeouts.gitSetupMs,
        after: collecting,
        keepsBranch: merged !== undefined,
      });
  const commits = await collecting;
  if (merged !== undefined && !keepsBranch)
    await deleteMergedBranch(merged, { ...merging, isWorktreeGone: removal?.isRemoved === true });
  const branch = (merged === undefined ? worktree.branch : worktree.repository.branch) ?? 'HEAD';
  return { commits, branch, preservedWorktreePath: removal?.isDirty === true ? worktree.path : undefined };
}

/** Collects what a run that failed left behind; removes nothing, and never fails itself. */
export async function settleFailure(context: WorkingContext): Promise<RunEvidence> {
  const { options, progress, workspace } = context;
  const { worktree } = workspace;
  await verify(context);
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

/** Looks for what the guest could have planted for git on the host: before any call of it. */
async function verify({ options, workspace, warn }: SettleContext): Promise<void> {
  if (workspace.snapshot === undefined) return;
  const call = { timeoutMs: options.timeouts.commitCollectionMs };
  for (const { path, what, action } of await verifyWorktree(workspace.snapshot, call))
    warn(`The agent changed \`${path}\` (${what}), which could run code on the host: ${action}.`);
}

async function collect(context: SettleContext): Promise<CommitRef[]> {
  const { options, workspace } = context;
  const call = { timeoutMs: options.timeouts.commitCollectionMs };
  const { commits, warning } = await collectCommits(workspace.worktree, call);
  if (warning !== undefined) context.warn(warning);
  context.emit?.({ type: 'commits', commits });
  return commits;
}
