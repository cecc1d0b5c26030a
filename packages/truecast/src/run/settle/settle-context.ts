/** Context of settling: the work in a worktree, and what is known about it. */
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import type { RunProgress } from '../context/run-progress.ts';
import type { SetupOptions } from '../context/setup-context.ts';
import type { RunWorkspace } from '../context/workspace.ts';
import type { RunPolicies } from '../options/run-bounds.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { EarlyReads } from './early-reads.ts';
import type { VerifiedCommit } from './land-verified.ts';

/** Inputs of settling, for any work in a worktree. */
export interface SettleContext {
  readonly options: Pick<SetupOptions, 'branchStrategy' | 'timeouts' | 'sensitiveChanges' | 'name'> &
    Pick<RunOptions, 'publish'> &
    Pick<RunPolicies, 'secretsInCommits'>;
  readonly workspace: Pick<RunWorkspace, 'worktree' | 'snapshot' | 'review' | 'opening' | 'agentEnv'>;
  /** Reads that were started before. */
  readonly early?: EarlyReads | undefined;
  /** What a check has accepted: the files as they are with `head`, else a commit. */
  readonly checked?: 'files' | VerifiedCommit | undefined;
  readonly warn: (message: string) => void;
  /** Receives the agent's work outside of the run's branch. Contains the sandbox's part of it. */
  readonly progress: Pick<RunProgress, 'recovered'>;
  readonly emit?: (event: { readonly type: 'commits'; readonly commits: readonly CommitRef[] }) => void;
}
