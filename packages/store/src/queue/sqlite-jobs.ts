/** Queue engine on SQLite: rows of a table, so that jobs survive the process. */
import type { Kysely } from 'kysely';
import type { Store } from '../database/store.ts';
import type { Tables } from '../tables/tables.ts';
import { retryPauseMs, type JobEngine } from './job-engine.ts';
import type { Job } from './job-queue.ts';

export function sqliteJobs(store: Store, heartbeatMs: number): JobEngine {
  return {
    close: async () => {},
    add: async ({ queue, key, payload, startAfter }, tx) => {
      const start_after_ms = startAfter?.getTime() ?? 0;
      await (tx?.db ?? store.db)
        .insertInto('jobs')
        .values({ queue, key, payload, start_after_ms, attempt: 0, held_until_ms: 0 })
        .execute();
    },
    take: (queue, count) => takeJobs(store, queue, count, heartbeatMs),
    keep: async (job) => {
      const held_until_ms = Date.now() + heartbeatMs;
      const { numUpdatedRows } = await ours(
        store.db.updateTable('jobs').set({ held_until_ms }),
        job,
      ).executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    finish: async (job) => {
      await ours(store.db.deleteFrom('jobs'), job).execute();
    },
    giveBack: async (job, reason) => {
      const start_after_ms = reason === 'closing' ? 0 : Date.now() + retryPauseMs(job.attempt);
      await ours(store.db.updateTable('jobs').set({ held_until_ms: 0, start_after_ms }), job).execute();
    },
  };
}

/** Limits a statement to a job that the worker still owns. */
function ours<TQuery extends { where(column: 'id' | 'attempt', operator: '=', value: number): TQuery }>(
  query: TQuery,
  { id, attempt }: Job,
): TQuery {
  return query.where('id', '=', Number(id)).where('attempt', '=', attempt);
}

/**
 * Takes the first ready job of each key, unless a job of that key is running or waits for its
 * retry.
 */
async function takeJobs(
  store: Store,
  queue: string,
  count: number,
  heartbeatMs: number,
): Promise<readonly Job[]> {
  // Checks first without a transaction: an idle worker must not write to the disk every second.
  if ((await readyJobs(store.db, queue, 1)).length === 0) return [];
  return store.transaction(async ({ db }) => {
    const ready = await readyJobs(db, queue, count);
    const taken: Job[] = [];
    for (const { id, key, payload, attempt } of ready) {
      await db
        .updateTable('jobs')
        .set({ attempt: attempt + 1, held_until_ms: Date.now() + heartbeatMs })
        .where('id', '=', id)
        .execute();
      taken.push({ id: String(id), queue, key, payload, attempt: attempt + 1 });
    }
    return taken;
  });
}

async function readyJobs(
  db: Kysely<Tables>,
  queue: string,
  count: number,
): Promise<readonly { id: number; key: string; payload: string; attempt: number }[]> {
  const nowMs = Date.now();
  return db
    .selectFrom('jobs as job')
    .select(['id', 'key', 'payload', 'attempt'])
    .where('queue', '=', queue)
    .where('start_after_ms', '<=', nowMs)
    .where('held_until_ms', '<=', nowMs)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs as other')
            .select('other.id')
            .whereRef('other.queue', '=', 'job.queue')
            .whereRef('other.key', '=', 'job.key')
            .whereRef('other.id', '!=', 'job.id')
            .where(({ or, and, eb }) =>
              or([
                eb('other.attempt', '>', 0),
                and([
                  eb('job.attempt', '=', 0),
                  eb('other.id', '<', eb.ref('job.id')),
                  eb('other.start_after_ms', '<=', nowMs),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy('id')
    .limit(count)
    .execute();
}
