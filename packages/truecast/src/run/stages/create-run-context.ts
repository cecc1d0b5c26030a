/** Run context: forwards events of a run to its log, the caller's callback, and the iterator. */
import { randomBytes } from 'node:crypto';
import { passTrace } from '@truecast/model/internal/telemetry/tracing';
import { tellAgentStream } from '../events/agent-stream-event.ts';
import type { EventStream } from '../events/event-stream.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { PreparedRun } from '../prepare/prepare-run.ts';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import { createEventMask } from '../events/mask-events.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { RunJournal } from '../logging/run-journal.ts';
import { keptRunId } from '../record/kept-run.ts';
import { createRecorder } from '../record/recorder.ts';
import type { RunContext } from '../context/run-context.ts';
import type { LifecycleEvent } from '../events/run-events.ts';
import { createLimitWait } from '../context/limit-wait.ts';
import { createRunLog } from '../context/run-log.ts';
import { createRunProgress } from '../context/run-progress.ts';
import type { RunStop } from '../context/run-stop.ts';

/** Inputs of a context. */
export interface RunContextOptions {
  readonly options: NormalizedRunOptions;
  readonly prepared: PreparedRun;
  readonly stop: RunStop;
  readonly events: EventStream;
  readonly mask: SecretMask;
}

/** Creates the context that all stages of a run share. */
export function createRunContext(from: RunContextOptions): RunContext {
  const { options, prepared, stop, events, mask } = from;
  const progress = createRunProgress();
  const log = createRunLog(options, prepared, mask);
  const journal = new RunJournal(keptRunId(new Date(), randomBytes(4).toString('hex')));
  const { onAgentStreamEvent } = options.logging;
  const teller = onAgentStreamEvent === undefined ? undefined : tellAgentStream(onAgentStreamEvent);
  const iteration = (): number => Math.max(1, progress.iterations.length + 1);
  const rawMask = mask.stream();
  const maskEvents = createEventMask(mask);
  const tell = (event: AgentEvent | LifecycleEvent): void => {
    const told = { ...event, timestamp: new Date(), iteration: iteration() };
    log.write(told);
    journal.write(told);
    events.push(told);
    teller?.event(told);
  };
  const tellRaw = (text: string): void => {
    if (text !== '') teller?.raw(text, iteration());
  };
  const emit: RunContext['emit'] = (event) => {
    if (event.type === 'raw') {
      if (options.logging.verbose === true) log.writeRaw(event.text);
      if (teller !== undefined) tellRaw(rawMask.push(event.text));
      return;
    }
    if (event.type === 'iteration-start' || event.type === 'run-end') tellRaw(rawMask.end());
    maskEvents(event).forEach(tell);
  };
  const warn = (message: string): void => {
    progress.warnings.push(mask.mask(message));
    emit({ type: 'warning', message });
  };
  [...prepared.environment.warnings, ...prepared.prompt.warnings].forEach(warn);
  const recorder =
    options.record === undefined
      ? undefined
      : createRecorder(options.record, options.agent, mask, {
          maxBytes: options.limits.recordingBytes,
          onFull: (maxBytes) => warn(fullRecording(maxBytes)),
        });
  const limitWait = createLimitWait(options.maxLimitWaitMs);
  const hasFixedKey = findFixedKey(options, prepared);
  const traced = { trace: passTrace, traceEnv: {} };
  const sinks = { log, journal, recorder, mask, emit, warn };
  return { options, progress, stop, signal: stop.signal, limitWait, hasFixedKey, ...traced, ...sinks };
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
