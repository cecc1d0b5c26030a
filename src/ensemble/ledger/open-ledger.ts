/** Owns opening a ledger for a cast: in memory. */
import { type Granted, grantTable } from './grant-table.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { memoryRows } from './memory-rows.ts';

/** What `openLedger` takes. */
export interface OpenLedgerOptions {
  /** Who may append which kinds; a scenario's cast is one. `conductor` and `visitor` have grants of their own. @default [] */
  readonly cast?: readonly Granted[];
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/**
 * Opens a ledger in memory: it is gone with the process.
 *
 * @throws UsageError `invalid-option` for a name or a kind of the engine in the cast, or what is no kind
 * @example
 * ```ts
 * const ledger = openLedger({ cast: [{ name: 'bo', mayEmit: ['agent.spoke'] }] });
 * await ledger.as('bo').append({ runId: 'run-1', turn: 1, kind: 'agent.spoke', payload: { text: 'Hello.' } });
 * ```
 */
export function openLedger({ cast = [], clock = Date.now }: OpenLedgerOptions = {}): Ledger {
  return makeLedger({ rows: memoryRows(), grants: grantTable(cast), clock });
}
