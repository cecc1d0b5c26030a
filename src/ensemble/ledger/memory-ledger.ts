/** Owns a ledger that is gone with the process: for tests, demonstrations, and a browser. */
import { grantTable, type LedgerOptions } from './grant-table.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { memoryRows } from './memory-rows.ts';

/**
 * Opens a ledger in memory: it is gone with the process.
 *
 * @throws UsageError `invalid-option` for a name or a kind of the engine in the cast, or what is no kind
 * @example
 * ```ts
 * const ledger = memoryLedger({ cast: [{ name: 'bo', mayEmit: ['agent.spoke'] }] });
 * await ledger.as('bo').append({ runId: 'run-1', turn: 1, kind: 'agent.spoke', payload: { text: 'Hello.' } });
 * ```
 */
export function memoryLedger({ cast = [], clock = Date.now }: LedgerOptions = {}): Ledger {
  return makeLedger({ rows: memoryRows(), grants: grantTable(cast), clock });
}
