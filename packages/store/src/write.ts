/** Writes of a transaction whose result is not needed: they travel with the next statement. */
import { sql, type Expression } from 'kysely';
import type { StoreTransaction } from './database/store.ts';
import { UNAWAITED } from './database/unawaited.ts';

/** A built insert, update or delete. */
interface WriteQuery {
  execute(): Promise<unknown>;
  modifyEnd(modifier: Expression<unknown>): { execute(): Promise<unknown> };
}

/**
 * Runs a write whose result decides nothing.
 *
 * On Postgres it is sent at once and answered with the next statement, which then reports its
 * failure, or with the commit. A failed write ends the transaction, so nothing of it is stored.
 */
export async function write({ dialect }: StoreTransaction, query: WriteQuery): Promise<void> {
  await (dialect === 'postgres' ? query.modifyEnd(sql.raw(UNAWAITED)) : query).execute();
}
