/** Queue of work that takes one lock of the database: one call at a time per store, in the order of the calls. */
import type { Store } from './database/store.ts';

/** Runs `work` after all earlier calls. Its result and its error are those of `work`. */
type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

const queues = new WeakMap<Store, Map<string, OneAtATime>>();

/**
 * Returns the queue of a store for a lock. Transactions that wait for the lock hold a connection each, and those of
 * one process could hold all of them. The lock admits one at a time, so a queue in front of it delays none.
 *
 * @param lock - name for `lockName()`, one of a few: queues are kept as long as the store
 */
export function oneAtATime(store: Store, lock: string): OneAtATime {
  const ofStore = queues.get(store) ?? new Map<string, OneAtATime>();
  queues.set(store, ofStore);
  const queue = ofStore.get(lock) ?? createQueue();
  ofStore.set(lock, queue);
  return queue;
}

function createQueue(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
