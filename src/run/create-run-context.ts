/** Owns telling what happens in a run: to its log, to the caller's callback, and to whoever iterates it. */
import { tellAgentStream } from './agent-stream-event.ts';
import type { EventStream } from './event-stream.ts';
import type { NormalizedRunOptions } from './normalize-run-options.ts';
import type { PreparedRun } from './prepare-run.ts';
import { createRecorder } from './record/recorder.ts';
import type { RunContext } from './run-context.ts';
import { createRunLog } from './run-log.ts';
import { createRunProgress } from './run-progress.ts';
import type { RunStop } from './run-stop.ts';

/** What a context is made of. */
export interface RunContextOptions {
  readonly options: NormalizedRunOptions;
  readonly prepared: PreparedRun;
  readonly stop: RunStop;
  readonly events: EventStream;
}

/** Makes the context that every stage of a run shares. */
export function createRunContext({ options, prepared, stop, events }: RunContextOptions): RunContext {
  const progress = createRunProgress();
  const log = createRunLog(options, prepared);
  const { onAgentStreamEvent } = options.logging;
  const teller = onAgentStreamEvent === undefined ? undefined : tellAgentStream(onAgentStreamEvent);
  const iteration = (): number => Math.max(1, progress.iterations.length + 1);
  const emit: RunContext['emit'] = (event) => {
    if (event.type === 'raw') {
      if (options.logging.verbose === true) log.writeRaw(event.text);
      teller?.raw(event.text, iteration());
      return;
    }
    const told = { ...event, timestamp: new Date(), iteration: iteration() };
    log.write(told);
    events.push(told);
    teller?.event(told);
  };
  const warn = (message: string): void => {
    progress.warnings.push(message);
    emit({ type: 'warning', message });
  };
  prepared.prompt.warnings.forEach(warn);
  const recorder =
    options.record === undefined
      ? undefined
      : createRecorder(options.record, options.agent, prepared.environment);
  return { options, progress, stop, log, recorder, emit, warn };
}
