/** Scheduled work of a queue: calls at an interval, one at a time. */

/**
 * Calls `work` now and about every `everyMs`. A call that is due while one runs is left out.
 *
 * @returns a function that ends the calls, and resolves when the last one has ended
 */
export function scheduleWork(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= work().finally(() => {
      running = undefined;
    });
  };
  run();
  const timer = setInterval(run, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
