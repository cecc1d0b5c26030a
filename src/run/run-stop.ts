/** Owns everything that ends a run from outside its agent: the caller's signal, the whole run's time, its budget, a signal of the process. First cause wins. */
import { InterruptedError } from '../errors/interrupted-error.ts';
import { LimitError } from '../errors/limit-error.ts';
import { isTreeListener } from './process/process-tree.ts';

/** The one switch that ends a run. */
export interface RunStop {
  readonly signal: AbortSignal;
  /** Ends the run with this reason, unless something else ended it before. */
  stop(reason: unknown): void;
  dispose(): void;
}

/** Process signals that end a run in good order: its processes are killed, its work is kept. */
const PROCESS_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const EXIT_INTERRUPTED = 130;

let isStopping = false;
/** Sessions on the terminal that share it with this process. */
let terminalSessions = 0;
const activeStops = new Set<RunStop>();
const settled = new Map<RunStop, () => void>();

/** Starts watching; `dispose()` when the run is over. */
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

/** Runs a task that shares the terminal with a program of its own, for which Ctrl-C is meant: this process does not end at it meanwhile. */
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
    `The run took longer than ${timeoutMs / 1000} s and was ended. Its work is kept; raise \`timeoutSeconds\` to go on.`,
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
  // Asked twice, the sender will not wait; the exit handler of the process room still kills what runs.
  if (isStopping) process.exit(EXIT_INTERRUPTED);
  isStopping = true;
  // With no listener of the program's own, ending is what the sender asked for, once every run has kept its work.
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
    `The process received ${processSignal}; the agent was ended and its work is kept. Run again, or resume the session.`,
    { processSignal },
  );
}
