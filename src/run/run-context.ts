/** Owns what every stage of a run shares. */
import type { AgentEvent } from './agents/agent-provider.ts';
import type { NormalizedRunOptions } from './normalize-run-options.ts';
import type { Recorder } from './record/recorder.ts';
import type { LifecycleEvent } from './run-events.ts';
import type { RunLog } from './run-log.ts';
import type { RunProgress } from './run-progress.ts';
import type { RunStop } from './run-stop.ts';
import type { Workspace } from './places/workspace.ts';

/** One run under way. */
export interface RunContext {
  readonly options: NormalizedRunOptions;
  readonly progress: RunProgress;
  readonly stop: RunStop;
  readonly log: RunLog;
  /** Undefined when the run is not recorded. */
  readonly recorder: Recorder | undefined;
  /** Tells an event to the log, the callback and the iterator. */
  emit(event: AgentEvent | LifecycleEvent): void;
  /** Tells a warning, and keeps it for the result. */
  warn(message: string): void;
}

/** One run under way, with the place where its agent works. */
export interface WorkingContext extends RunContext {
  readonly workspace: Workspace;
}
