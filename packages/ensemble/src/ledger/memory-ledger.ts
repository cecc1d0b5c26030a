/** In-memory ledger for tests, demos and browsers. */
import { assertKind } from '@truecast/core/internal/errors/assert-kind';
import { grantTable, type LedgerOptions } from './grant-table.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { memoryRows } from './memory-rows.ts';

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
