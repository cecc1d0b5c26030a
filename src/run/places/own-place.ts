/** Owns that a place which outlives its runs is closed in good order, by its owner or by a signal of the process. */
import { createRunStop, type RunStop } from '../run-stop.ts';

/** The end of a place. */
export interface PlaceEnd<T> {
  /** Aborts when the process is told to end. */
  readonly signal: AbortSignal;
  /** Ends the place once; a second call waits for the first. */
  close(): Promise<T>;
}

/** Makes the end of a place that `end` ends. */
export function ownPlace<T>(stop: RunStop, end: () => Promise<T>): PlaceEnd<T> {
  let closed: Promise<T> | undefined;
  const close = (): Promise<T> => {
    closed ??= end().finally(() => stop.dispose());
    return closed;
  };
  // In a later turn: the runs inside are told by the same signal, and must see it as their own end first.
  const onStop = (): void => void setImmediate(() => void close().catch(() => undefined));
  stop.signal.addEventListener('abort', onStop, { once: true });
  return { signal: stop.signal, close };
}

/** Opens a place under a stop of its own, which is left when the opening fails. */
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
    // The caller's signal ends the opening only; what is open is closed by its owner.
    signal?.removeEventListener('abort', onAbort);
  }
}
