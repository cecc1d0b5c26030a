/** Owns what a transaction locks so that it does not change under it. */
import { sql, type SelectQueryBuilder } from 'kysely';
import type { StoreTransaction } from './store.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Makes `query` lock the rows that it finds, until the transaction ends.
 *
 * On SQLite nothing is needed: a transaction is alone. Transactions that lock several rows lock them in the same order.
 */
export function forUpdate<TDatabase extends Tables, TFrom extends keyof TDatabase, TRow>(
  tx: StoreTransaction,
  query: SelectQueryBuilder<TDatabase, TFrom, TRow>,
): SelectQueryBuilder<TDatabase, TFrom, TRow> {
  return tx.dialect === 'postgres' ? query.forUpdate() : query;
}

/**
 * Makes transactions that give the same `name` follow one another, until each ends.
 *
 * What they insert then becomes visible in the order of its serial key, so that a reader who remembers the last key misses none.
 */
export async function lockName(tx: StoreTransaction, name: string): Promise<void> {
  if (tx.dialect === 'sqlite') return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`truecast ${name}`}, 0))`.execute(tx.db);
}
