/**
 * Writes of a transaction whose result is not needed. They are sent together with the next
 * statement.
 */
import { sql, type Expression } from 'kysely';
import type { StoreTransaction } from './database/store.ts';
import { UNAWAITED } from './database/unawaited.ts';

/** A built insert, update or delete. */
interface WriteQuery {
  execute(): Promise<unknown>;
  modifyEnd(modifier: Expression<unknown>): { execute(): Promise<unknown> };
}

/**
 * Runs a write whose result the caller does not need.
 *
 * On Postgres the write is sent at once and not awaited. The next awaited statement, or the commit,
 * reports its failure. A failed write aborts the transaction.
 */
export async function write({ dialect }: StoreTransaction, query: WriteQuery): Promise<void> {
  await (dialect === 'postgres' ? query.modifyEnd(sql.raw(UNAWAITED)) : query).execute();
}
