/**
 * Contexts of a run: one for the run itself, one with its open place. Work without a run has a part
 * of them.
 */
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import type { Trace } from '@truecast/model/internal/telemetry/tracing';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import type { GitCallOptions } from '../../git/command/git.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { PlaceSettings } from '../options/place-options.ts';
import type { RunPolicies } from '../options/run-bounds.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { LimitWait } from './limit-wait.ts';
import type { Recorder } from '../record/recorder.ts';
import type { LifecycleEvent } from '../events/run-events.ts';
import type { RunJournal } from '../logging/run-journal.ts';
import type { RunLog } from './run-log.ts';
import type { RunObservers } from './run-observers.ts';
import type { RunProgress } from './run-progress.ts';
import type { RunExecution } from './run-execution.ts';
import type { RunServer } from '../finalizer/run-server.ts';
import type { RunStop } from './run-stop.ts';
import type { RunWorkspace } from './workspace.ts';

/** Services and state of a run. */
export interface RunContext {
  readonly options: NormalizedRunOptions;
  readonly progress: RunProgress;
  readonly stop: RunStop;
  /** The signal of `stop`. */
  readonly signal: AbortSignal;
  /** All sinks of the run. They receive masked events. */
  readonly observers: RunObservers;
  readonly log: RunLog;
  /** Lets other processes follow the run. */
  readonly journal: RunJournal;
  /** Undefined if the run is not recorded. */
  readonly recorder: Recorder | undefined;
  readonly limitWait: LimitWait;
  /** State of a run with an id. Undefined without one. */
  readonly execution?: RunExecution | undefined;
  /** True if the agent authenticates with an API key instead of a login that it can refresh. */
  readonly hasFixedKey: boolean;
  /** Creates spans below the run's span. */
  readonly trace: Trace;
  /** Variables of the turn's span, for the agent. Empty outside a turn and without an SDK. */
  readonly traceEnv: Readonly<Record<string, string>>;
  /** Masks all output of the run. */
  readonly mask: SecretMask;
  /** Sends an event to the observers. */
  emit(event: AgentEvent | LifecycleEvent): void;
  /** Emits a warning, and keeps it for the result. */
  warn(message: string): void;
}

/** Context of a run with an open place. */
export interface WorkingContext extends RunContext {
  readonly workspace: RunWorkspace;
  /** MCP server of the run, while its agent works. Undefined if the agent calls no tool of the run. */
  readonly server?: RunServer | undefined;
}

/** The part with which a place is opened. A worktree or a sandbox without a run has no more. */
export type PlaceContext = Pick<RunContext, 'signal' | 'warn'> & { readonly options: PlaceSettings };

/** The part with which work is settled. A terminal session has no more. */
export type SettledContext = Pick<RunContext, 'signal' | 'warn'> & {
  readonly options: Pick<PlaceSettings, 'branchStrategy' | 'timeouts' | 'sensitiveChanges' | 'name'> &
    Pick<RunOptions, 'publish'> &
    Pick<RunPolicies, 'secretsInCommits'>;
  readonly workspace: Pick<RunWorkspace, 'worktree' | 'snapshot' | 'review' | 'opening' | 'agentEnv'>;
  /** Receives the agent's work outside of the run's branch. Contains the sandbox's part of it. */
  readonly progress: Pick<RunProgress, 'recovered' | 'made' | 'attachmentFolder'>;
  readonly emit?: (event: { readonly type: 'commits'; readonly commits: readonly CommitRef[] }) => void;
};

/** Git options while a place is opened. */
export function gitCallOf({ options, signal }: PlaceContext): GitCallOptions {
  return { timeoutMs: options.timeouts.gitSetupMs, signal };
}
