/** Ledger watcher: calls back when this or another process can have appended events. */
import type { Store } from './database/store.ts';

/** Notification channel for appends. */
export const EVENTS_CHANNEL = 'events';
/** SQLite notifies only its own process. Appends of other processes are seen after this delay. */
const POLL_MS = 250;

/** Watches the ledger. Call the result to stop. */
export function watchEvents({ notifications, dialect }: Store, callback: () => void): () => void {
  const unsubscribe = notifications.subscribe(EVENTS_CHANNEL, callback);
  if (dialect === 'postgres') return unsubscribe;
  const poll = setInterval(callback, POLL_MS);
  return () => {
    clearInterval(poll);
    unsubscribe();
  };
}
