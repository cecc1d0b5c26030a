/** Queue of work that takes one lock of the database: one call at a time per store, in order. */
import type { Store } from './database/store.ts';

/** End of the last call of each lock. */
const lastCalls = new WeakMap<Store, Map<string, Promise<unknown>>>();

/**
 * Runs `work` after all earlier calls for the same lock. Its result and its error are those of `work`. Transactions
 * that wait for the lock hold a connection each, and those of one process could hold all of them. The lock admits
 * one at a time, so a queue in front of it delays none.
 *
 * @param lock - name for `lockName()`, one of a few: queues are kept as long as the store
 */
export function oneAtATime<T>(store: Store, lock: string, work: () => Promise<T>): Promise<T> {
  const ofStore = lastCalls.get(store) ?? new Map<string, Promise<unknown>>();
  lastCalls.set(store, ofStore);
  const result = Promise.resolve(ofStore.get(lock)).then(work);
  ofStore.set(
    lock,
    result.catch(() => undefined),
  );
  return result;
}
