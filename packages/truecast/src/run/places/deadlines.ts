/** Deadline for promises of sandboxes, which might never settle. */

/** Waits for a task, at most until the deadline. */
export type WithDeadline = <T>(task: Promise<T>) => Promise<T>;

/**
 * Creates one deadline for all tasks that run after an abort. Before the abort, time is unlimited.
 *
 * @param createError - creates the error of a task that runs at the deadline, or starts after it
 */
export function abortDeadline(
  signal: AbortSignal,
  timeoutMs: number,
  createError: () => Error,
): WithDeadline {
  let endsAt = Infinity;
  const start = (): void => {
    endsAt = performance.now() + timeoutMs;
  };
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return async (task) => {
    const expired = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    const arm = (): void => {
      timer = setTimeout(() => expired.reject(createError()), Math.max(0, endsAt - performance.now()));
    };
    if (signal.aborted) arm();
    else signal.addEventListener('abort', arm, { once: true });
    try {
      return await Promise.race([task, expired.promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', arm);
    }
  };
}
