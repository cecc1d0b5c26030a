/**
 * Lifetime of a place that outlives its runs: closed by its owner or by a signal to the process.
 */
import { createRunStop, type RunStop } from '../context/run-stop.ts';

export interface PlaceEnd<T> {
  /** Aborts when the process receives a signal to end. */
  readonly signal: AbortSignal;
  /** Closes the place once. A second call waits for the first. */
  close(): Promise<T>;
}

/** Creates the lifetime of a place that `end` closes. */
export function ownPlace<T>(stop: RunStop, end: () => Promise<T>): PlaceEnd<T> {
  let closed: Promise<T> | undefined;
  const close = (): Promise<T> => {
    closed ??= end().finally(() => stop.dispose());
    return closed;
  };
  // Delayed by one event loop turn: the runs inside receive the same signal and must end first.
  const onStop = (): void => void setImmediate(() => void close().catch(() => undefined));
  stop.signal.addEventListener('abort', onStop, { once: true });
  return { signal: stop.signal, close };
}

/** Opens a place with its own stop signal, which is released if the opening fails. */
export async function openOwned<T>(
  signal: AbortSignal | undefined,
  open: (stop: RunStop) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const stop = createRunStop(undefined, undefined);
  const onAbort = (): void => stop.stop(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await open(stop);
  } catch (error) {
    stop.dispose();
    throw error;
  } finally {
    // The caller's signal ends only the opening. An open place is closed by its owner.
    signal?.removeEventListener('abort', onAbort);
  }
}
