/** Wait for a row that ends once, such as a receipt. */

export interface EndWait<T> {
  readonly read: () => Promise<T>;
  readonly hasEnded: (row: T) => boolean;
  /** Calls back at each hint that the row may have ended. Returns the function that stops it. */
  readonly listen: (wake: () => void) => () => void;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Poll interval without hints. */
const POLL_MS = 1_000;

/** Reads a row again until it has ended. Returns its current state at the timeout or when `signal` aborts. */
export async function waitForEnd<T>({ read, hasEnded, listen, waitMs, signal }: EndWait<T>): Promise<T> {
  const until = performance.now() + waitMs;
  // Reads after the subscription, because earlier commits sent their hints before it.
  using ear = openEar(listen, signal);
  for (;;) {
    const hint = ear.next();
    const row = await read();
    const leftMs = until - performance.now();
    if (hasEnded(row) || leftMs <= 0 || signal?.aborted === true) return row;
    await soonest(hint, Math.min(leftMs, POLL_MS));
  }
}

interface Ear extends Disposable {
  /** Resolves at the next hint, or when the signal aborts. */
  next(): Promise<void>;
}

function openEar(listen: EndWait<unknown>['listen'], signal: AbortSignal | undefined): Ear {
  let wake = (): void => undefined;
  const onAbort = (): void => wake();
  const stop = listen(() => wake());
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    next: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      return promise;
    },
    [Symbol.dispose]: () => {
      stop();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Resolves with `hint`, or after `ms`. */
async function soonest(hint: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([hint, promise]);
  clearTimeout(timer);
}
