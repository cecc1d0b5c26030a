/**
 * Stop conditions from outside the agent: the caller's signal, the run's timeout, its budget, a
 * process signal. The first cause takes precedence.
 */
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { isTreeListener } from '../../process/process-tree.ts';

export interface RunStop {
  readonly signal: AbortSignal;
  /** Stops the run for this reason, unless it was stopped before. */
  stop(reason: unknown): void;
  dispose(): void;
}

/** Process signals that stop a run gracefully: its processes are killed, its work is kept. */
const PROCESS_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const EXIT_INTERRUPTED = 130;

let isStopping = false;
/** Number of sessions that share the terminal with this process. */
let terminalSessions = 0;
const activeStops = new Set<RunStop>();
const settled = new Map<RunStop, () => void>();

/** Starts watching. Call `dispose()` after the run. */
export function createRunStop(signal: AbortSignal | undefined, timeoutMs: number | undefined): RunStop {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(timeError(timeoutMs)), timeoutMs);
  const stop: RunStop = {
    signal: controller.signal,
    stop: (reason) => controller.abort(reason),
    dispose() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      leave(stop);
    },
  };
  enter(stop);
  return stop;
}

/**
 * Runs a task whose program shares the terminal. Ctrl-C is meant for that program, so this process
 * ignores it during the task.
 */
export async function withSharedTerminal<T>(task: () => Promise<T>): Promise<T> {
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  terminalSessions += 1;
  try {
    return await task();
  } finally {
    terminalSessions -= 1;
    process.off('SIGINT', ignore);
  }
}

function timeError(timeoutMs: number): LimitError {
  return new LimitError(
    `The run took longer than ${timeoutMs / 1000} s and was stopped. Its work is kept. To continue, raise \`timeouts.runMs\`.`,
    { code: 'time' },
  );
}

function enter(stop: RunStop): void {
  if (activeStops.size === 0) for (const name of PROCESS_SIGNALS) process.on(name, onProcessSignal);
  activeStops.add(stop);
}

function leave(stop: RunStop): void {
  activeStops.delete(stop);
  settled.get(stop)?.();
  settled.delete(stop);
  if (activeStops.size === 0) for (const name of PROCESS_SIGNALS) process.off(name, onProcessSignal);
}

function onProcessSignal(processSignal: NodeJS.Signals): void {
  if (processSignal === 'SIGINT' && terminalSessions > 0) return;
  // On a second signal, exit at once. The exit handler of the process room still kills running
  // processes.
  if (isStopping) process.exit(EXIT_INTERRUPTED);
  isStopping = true;
  // Without another listener in the program, the signal means exit. The process exits after every
  // run has kept its work.
  const endsHere = process
    .listeners(processSignal)
    .every((listener) => listener === onProcessSignal || isTreeListener(listener));
  const all = [...activeStops].map((stop) => new Promise<void>((resolve) => settled.set(stop, resolve)));
  for (const stop of activeStops) stop.stop(interruptedError(processSignal));
  void Promise.all(all).then(() => {
    isStopping = false;
    if (endsHere) process.kill(process.pid, processSignal);
  });
}

function interruptedError(processSignal: NodeJS.Signals): InterruptedError {
  return new InterruptedError(
    `The process received ${processSignal}, so the agent was stopped. Its work is kept. Run again, or resume the session.`,
    { processSignal },
  );
}
