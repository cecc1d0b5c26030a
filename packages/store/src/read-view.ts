/** Snapshot reads: several queries on one consistent state. */
import type { Kysely } from 'kysely';
import type { Tables } from './tables/tables.ts';
import type { TransactionGuard } from './database/transaction-guard.ts';

/** Reads in one snapshot. See `Store.view`. */
export function readView<T>(
  db: Kysely<Tables>,
  guard: TransactionGuard,
  read: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((view) => guard.within(() => read(view)));
}
