/** Bounded wait of a closing worker for the work that it still runs. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the work has ended, but at most `timeoutMs`. The wait does not keep the process alive. */
export async function endedWithin(work: Iterable<Promise<unknown>>, timeoutMs: number): Promise<void> {
  const waited = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: waited.signal, ref: false });
  await Promise.race([Promise.all(work), timeout]);
  waited.abort();
}
