/** Locks within a transaction. */
import { sql, type SelectQueryBuilder } from 'kysely';
import type { StoreTransaction } from './database/store.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Locks the rows that `query` finds, until the transaction ends.
 *
 * A no-op on SQLite, where transactions are serialized. To avoid deadlocks, always lock several
 * rows in the same order.
 */
export function forUpdate<TDatabase extends Tables, TFrom extends keyof TDatabase, TRow>(
  tx: StoreTransaction,
  query: SelectQueryBuilder<TDatabase, TFrom, TRow>,
): SelectQueryBuilder<TDatabase, TFrom, TRow> {
  return tx.dialect === 'postgres' ? query.forUpdate() : query;
}

/**
 * Advisory lock: serializes transactions with the same `name` until each ends.
 *
 * Their inserts become visible in the order of the serial key, so a reader that remembers the last
 * key misses none.
 */
export async function lockName(tx: StoreTransaction, name: string): Promise<void> {
  if (tx.dialect === 'sqlite') return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`truecast ${name}`}, 0))`.execute(tx.db);
}
