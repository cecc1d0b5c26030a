/** Creates the context of a new run: its services and its observers. */
import { randomBytes } from 'node:crypto';
import { passTrace } from '@truecast/model/internal/telemetry/tracing';
import { tellAgentStream } from '../events/agent-stream-event.ts';
import type { EventStream } from '../events/event-stream.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { PreparedRun } from '../prepare/prepare-run.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { RunJournal } from '../logging/run-journal.ts';
import { keptRunId } from '../record/kept-run.ts';
import { createRecorder } from '../record/recorder.ts';
import type { RunContext } from '../context/run-context.ts';
import { createLimitWait } from '../context/limit-wait.ts';
import { createRunLog } from '../context/run-log.ts';
import type { RunExecution } from '../context/run-execution.ts';
import { RunObservers } from '../context/run-observers.ts';
import { createRunProgress } from '../context/run-progress.ts';
import type { RunStop } from '../context/run-stop.ts';

export interface RunContextOptions {
  readonly options: NormalizedRunOptions;
  readonly prepared: PreparedRun;
  readonly stop: RunStop;
  readonly events: EventStream;
  readonly mask: SecretMask;
  readonly execution?: RunExecution | undefined;
}

/** Creates the context that all stages of a run share. */
export function createRunContext(from: RunContextOptions): RunContext {
  const { options, prepared, stop, events, mask, execution } = from;
  const progress = createRunProgress();
  const observers = new RunObservers(mask, () => progress.iterations.length + 1);
  const emit: RunContext['emit'] = (event) => observers.emit(event);
  const warn = (message: string): void => {
    progress.warnings.push(mask.mask(message));
    emit({ type: 'warning', message });
  };
  const log = createRunLog(options, prepared, mask);
  const journal = new RunJournal(keptRunId(new Date(), randomBytes(4).toString('hex')));
  const { onAgentStreamEvent } = options.logging;
  const recorder =
    options.record === undefined
      ? undefined
      : createRecorder(options.record, options.agent, {
          maxBytes: options.limits.recordingBytes,
          onFull: (maxBytes) => warn(fullRecording(maxBytes)),
        });
  observers.add(log);
  observers.add({ event: (event) => journal.write(event) });
  observers.add({ event: (event) => events.push(event), wantsElements: () => events.isRead });
  if (onAgentStreamEvent !== undefined) observers.add(tellAgentStream(onAgentStreamEvent));
  if (recorder !== undefined) observers.add(recorder);
  if (execution !== undefined) observers.add({ event: (event) => execution.observe(event, warn) });
  [...prepared.environment.warnings, ...prepared.prompt.warnings].forEach(warn);
  return {
    options,
    progress,
    stop,
    signal: stop.signal,
    observers,
    log,
    journal,
    recorder,
    limitWait: createLimitWait(options.maxLimitWaitMs),
    execution,
    hasFixedKey: findFixedKey(options, prepared),
    trace: passTrace,
    traceEnv: {},
    mask,
    emit,
    warn,
  };
}

/** With a proxy, the key is on the host. */
function findFixedKey({ agent, sandbox }: NormalizedRunOptions, prepared: PreparedRun): boolean {
  const { modelAccess, environment } = prepared;
  const env = sandbox.tag === 'none' ? environment.host : environment.inside;
  return modelAccess !== undefined || agent.hasFixedKey?.(env) === true;
}

function fullRecording(maxBytes: number): string {
  return `The recording reached its limit of ${maxBytes} bytes and is incomplete after that. Raise \`logging.maxRecordBytes\`.`;
}
