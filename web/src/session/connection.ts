/** State of the connection to the server, from the last request. One store for the page. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let lostAtMs: number | undefined;

function change(next: number | undefined): void {
  if ((lostAtMs === undefined) === (next === undefined)) return;
  lostAtMs = next;
  for (const listener of listeners) listener();
}

/** Sends a request, and records whether a response arrived. Retries are left to the client. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    change(undefined);
    return response;
  } catch (error) {
    // An aborted request does not show the state of the connection.
    if (init?.signal?.aborted !== true) change(Date.now());
    throw error;
  }
};

/** Requests an address that needs no token and causes no work. */
export async function probeConnection(): Promise<void> {
  await watchedFetch('/healthz', { cache: 'no-store' }).catch(() => undefined);
}

/** Returns when the connection was lost. Undefined while it is healthy. */
export function useLostAt(): number | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => lostAtMs,
  );
}
