/** Bounded waits for a process, its output, and a sandbox that might never answer. */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Waits for a task, and calls `onLate` if it has not settled in time. A later failure of the task is
 * ignored.
 */
export async function inTime<T>(task: Promise<T>, timeoutMs: number, onLate: () => T): Promise<T> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), timeoutMs);
  task.catch(() => undefined);
  try {
    const settled = task.then((value) => ({ value }));
    const first = await Promise.race([settled, late.promise]);
    return first === 'late' ? onLate() : first.value;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs a command, and aborts it after its time. Throws the error at once, because not every sandbox can
 * stop a command on request.
 */
export async function runInTime<T>(
  start: (signal: AbortSignal) => Promise<T>,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  createError: () => Error,
): Promise<T> {
  const timeout = new AbortController();
  return inTime(start(AbortSignal.any([signal, timeout.signal])), timeoutMs, () => {
    const error = createError();
    timeout.abort(error);
    throw error;
  });
}

/** Lets the event loop read waiting data from pipes. */
export async function turnTwice(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Waits until `isDone` returns true. Returns false after `timeoutMs`. */
export async function waitUntil(isDone: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!isDone()) {
    if (performance.now() >= deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}
