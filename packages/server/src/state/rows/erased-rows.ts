/** Erasure of the texts in rows that outlive their chat, and of all rows of agent runs. */
import { sql } from '@truecast/store/internal/database/sql';
import { forUpdate } from '@truecast/store/internal/locks';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { StateDb } from './machine-context.ts';
import { removeBlobs } from './run-blobs.ts';

/**
 * Erases schemas, values, their hashes, and attempts of a chat's requests. A hash of a short text
 * can be guessed. Paths of issues can contain names of a schema or a value.
 */
export async function eraseRequests(db: StateDb, chatId: string): Promise<void> {
  await forgetSums(db, chatId);
  await db
    .updateTable('chat_requests')
    .set({
      name: null,
      schema_text: '',
      schema_hash: '',
      // A constraint requires a value after a success.
      value_text: sql<string | null>`case when value_text is null then null else '' end`,
      value_hash: null,
      attempts: '[]',
      erased: 1,
    })
    .where('chat_id', '=', chatId)
    .execute();
}

/**
 * Deletes the sums of a quality report that contain requests of the chat. The row of the mark is written
 * first: its lock orders this after a report that adds requests to the sums.
 */
async function forgetSums(db: StateDb, chatId: string): Promise<void> {
  const counted = await db
    .selectFrom('chat_requests')
    .select('owner')
    .where('chat_id', '=', chatId)
    .where('erased', '=', 0)
    .where('status', 'in', ['succeeded', 'failed'])
    .limit(1)
    .executeTakeFirst();
  if (counted === undefined) return;
  const { owner } = counted;
  await db
    .insertInto('quality_marks')
    .values({ owner, ended_at: -1, id: '' })
    .onConflict((conflict) => conflict.column('owner').doUpdateSet({ ended_at: -1, id: '' }))
    .execute();
  await db.deleteFrom('quality_sums').where('owner', '=', owner).execute();
}

/**
 * Erases a chat's stored responses. Their keys remain, so that a repeated request changes nothing.
 */
export async function eraseResponses(db: StateDb, chatId: string): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ body: '', body_hash: '' })
    .where('chat_id', '=', chatId)
    .execute();
}

/** Deletes agent runs with their sessions and artifacts, executions and events. */
export async function deleteRuns(tx: StoreTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { db } = tx;
  await lockRuns(tx, ids);
  // Sessions first: they have prompts and source code.
  await removeBlobs(tx, ids);
  await db.deleteFrom('agent_run_events').where('run_id', 'in', ids).execute();
  await db.deleteFrom('agent_run_executions').where('run_id', 'in', ids).execute();
  await db.deleteFrom('webhook_deliveries').where('run_id', 'in', ids).execute();
  await db.deleteFrom('agent_runs').where('id', 'in', ids).execute();
}

/**
 * Removes the sessions, artifacts and events of runs that have ended. Their receipts remain, with the event that ends
 * each stream. The caller has locked the rows, and stores the time.
 */
export async function clearRuns(tx: StoreTransaction, ids: readonly string[]): Promise<void> {
  await removeBlobs(tx, ids);
  const events = tx.db.deleteFrom('agent_run_events').where('run_id', 'in', ids);
  await events.where('data', 'not like', '{"type":"receipt"%').execute();
}

/** Removes the sessions, artifacts and events of runs, and stores the time. Returns the number of runs. */
export async function clearOldRuns(
  tx: StoreTransaction,
  { ids, now }: { readonly ids: readonly string[]; readonly now: number },
): Promise<number> {
  await lockRuns(tx, ids);
  await clearRuns(tx, ids);
  const rows = tx.db.updateTable('agent_runs').set({ cleared_at: now }).where('id', 'in', ids);
  const { numUpdatedRows } = await rows.executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** A worker must not add an event between the deletions. */
async function lockRuns(tx: StoreTransaction, ids: readonly string[]): Promise<void> {
  const rows = tx.db.selectFrom('agent_runs').select('id').where('id', 'in', ids).orderBy('id');
  await forUpdate(tx, rows).execute();
}
