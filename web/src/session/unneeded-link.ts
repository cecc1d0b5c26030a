/** State of a link that met a session: the page says once that the session stays. One store for the page. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let isShown = false;

function show(next: boolean): void {
  isShown = next;
  for (const listener of listeners) listener();
}

export function tellUnneeded(): void {
  show(true);
}

export function hideUnneeded(): void {
  show(false);
}

export function useUnneededLink(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isShown,
  );
}
