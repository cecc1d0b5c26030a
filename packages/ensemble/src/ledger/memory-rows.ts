/** In-memory event rows. */
import type { EventRows } from './event-rows.ts';
import type { LedgerEvent } from './ledger-event.ts';

/** Returns empty rows. */
export function memoryRows(): EventRows {
  const events: LedgerEvent[] = [];
  const byId = new Map<string, LedgerEvent>();
  const listeners = new Set<() => void>();
  return {
    async append(event) {
      const known = byId.get(event.id);
      if (known !== undefined) return known;
      const stored = Object.freeze({ ...event, offset: events.length + 1 });
      events.push(stored);
      byId.set(event.id, stored);
      for (const listener of listeners) listener();
      return stored;
    },
    async read({ afterOffset, limit, runId, kinds }) {
      const found: LedgerEvent[] = [];
      for (let index = afterOffset; index < events.length && found.length < limit; index += 1) {
        const event = events[index];
        if (event === undefined || (runId !== undefined && event.runId !== runId)) continue;
        if (kinds === undefined || kinds.includes(event.kind)) found.push(event);
      }
      return found;
    },
    onAppend(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
  };
}
