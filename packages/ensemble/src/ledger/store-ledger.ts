/** Ledger of an open store, for programs that keep more in it. */
import type { Store } from '@truecast/store/internal/database/store';
import { grantTable, type LedgerOptions } from './grant-table.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { storeRows } from './store-rows.ts';

/**
 * Returns the ledger of a store for a cast. The caller closes the store.
 *
 * @throws UsageError `invalid-option` for a name or kind of the engine in the cast, or an invalid
 *   kind
 */
export function storeLedger(store: Store, { cast = [], clock = Date.now }: LedgerOptions = {}): Ledger {
  return makeLedger({ rows: storeRows(store), grants: grantTable(cast), clock });
}
