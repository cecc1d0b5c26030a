/** Bounded waits for the end of a process and of the output. */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Waits for `work`, but at most `timeoutMs`. Clears its timer, which would keep this process alive.
 */
export async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  await Promise.race([work, late]);
  clearTimeout(timer);
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
