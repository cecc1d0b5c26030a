/** Owns the ledger of a store that is open already, for programs that keep more in it. */
import type { Store } from '../../store/store.ts';
import { grantTable, type LedgerOptions } from './grant-table.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { storeRows } from './store-rows.ts';

/**
 * Returns the ledger of a store for a cast; the store is closed by whoever opened it.
 *
 * @throws UsageError `invalid-option` for a name or a kind of the engine in the cast, or what is no kind
 */
export function storeLedger(store: Store, { cast = [], clock = Date.now }: LedgerOptions = {}): Ledger {
  return makeLedger({ rows: storeRows(store), grants: grantTable(cast), clock });
}
