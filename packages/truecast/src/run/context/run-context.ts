/** State and services that all stages of a run share. */
import type { Trace } from '@truecast/model/internal/telemetry/tracing';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { LimitWait } from './limit-wait.ts';
import type { Recorder } from '../record/recorder.ts';
import type { LifecycleEvent } from '../events/run-events.ts';
import type { RunJournal } from '../logging/run-journal.ts';
import type { RunLog } from './run-log.ts';
import type { RunProgress } from './run-progress.ts';
import type { RunStop } from './run-stop.ts';
import type { RunWorkspace } from './workspace.ts';

/** Context of a run in progress. */
export interface RunContext {
  readonly options: NormalizedRunOptions;
  readonly progress: RunProgress;
  readonly stop: RunStop;
  readonly log: RunLog;
  /** Lets other processes follow the run. */
  readonly journal: RunJournal;
  /** Undefined if the run is not recorded. */
  readonly recorder: Recorder | undefined;
  readonly limitWait: LimitWait;
  /** True if the agent authenticates with an API key instead of a login that it can refresh. */
  readonly hasFixedKey: boolean;
  /** Creates spans below the run's span. */
  readonly trace: Trace;
  /** Variables of the turn's span, for the agent. Empty outside a turn and without an SDK. */
  readonly traceEnv: Readonly<Record<string, string>>;
  /** Masks all output of the run. */
  readonly mask: SecretMask;
  /** Sends an event to the log, the callback and the iterator. */
  emit(event: AgentEvent | LifecycleEvent): void;
  /** Emits a warning, and keeps it for the result. */
  warn(message: string): void;
}

/** Context of a run in progress, with the place where its agent works. */
export interface WorkingContext extends RunContext {
  readonly workspace: RunWorkspace;
}
