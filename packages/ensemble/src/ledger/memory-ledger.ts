/** In-memory ledger for tests, demos and browsers. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { grantTable, type LedgerOptions } from './grant-table.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import type { EventRows } from './event-rows.ts';
import type { LedgerEvent } from './ledger-event.ts';

/**
 * Creates a ledger in memory. It is lost with the process.
 *
 * @throws UsageError `invalid-option` for a name or kind of the engine in the cast, or an invalid
 *   kind
 * @example
 * ```ts
 * const ledger = memoryLedger({ cast: [{ name: 'bo', mayEmit: ['agent.spoke'] }] });
 * await ledger.as('bo').append({ runId: 'run-1', turn: 1, kind: 'agent.spoke', payload: { text: 'Hello.' } });
 * ```
 */
export function memoryLedger(options: LedgerOptions = {}): Ledger {
  assertKind(options, 'an object', 'options', 'Pass `{ cast }`, or leave it out.');
  const { cast = [], clock = Date.now } = options;
  return makeLedger({ rows: memoryRows(), grants: grantTable(cast), clock });
}

function memoryRows(): EventRows {
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
