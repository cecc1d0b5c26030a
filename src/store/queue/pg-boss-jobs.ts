/** Owns the queue's engine on Postgres: pg-boss, over the store's own connections. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { PgBoss, type Db } from 'pg-boss';
import { z } from 'zod';
import { StoreError } from '../../errors/store-error.ts';
import { fromStoredText, toStoredText } from '../stored-text.ts';
import type { Store, StoreWarning } from '../store.ts';
import { MAX_RETRY_PAUSE_MS, type JobEngine } from './job-engine.ts';
import type { Job } from './job-queue.ts';

/** The schema of pg-boss's tables, made by a migration. */
const SCHEMA = 'truecast_queue';
/** Workers drop a job long before, with a warning; pg-boss would let it block its key. */
const RETRY_LIMIT = 10_000;
/** The most that pg-boss allows: the heartbeat tells the dead from the slow. */
const EXPIRE_SECONDS = 24 * 60 * 60 - 1;
const KEEP_DONE_SECONDS = 60;
/** How often pg-boss looks for workers that gave no sign of life, and how long it remembers having looked. */
const MONITOR_SECONDS = 1;

/** What the engine is made with. */
interface PgBossOptions {
  readonly queues: readonly string[];
  readonly heartbeatMs: number;
  readonly warn: (warning: StoreWarning) => void;
}

/** What pg-boss keeps of a job as JSON, whose text cannot hold NUL or lone surrogates there. */
const dataSchema = z.object({ key: z.string(), payload: z.string() });
const affectedSchema = z.object({ affected: z.number() });

/** Makes the engine on `store`, with pg-boss's tables made or brought up to date. */
export async function pgBossJobs(
  store: Store,
  { queues, heartbeatMs, warn }: PgBossOptions,
): Promise<JobEngine> {
  // Its timers and caches are nobody's transaction, whoever sets them off.
  const outside = AsyncLocalStorage.snapshot();
  const boss = new PgBoss({
    db: databaseOf((query) => outside(() => store.db.executeQuery(query))),
    schema: SCHEMA,
    createSchema: false,
    schedule: false,
    superviseIntervalSeconds: MONITOR_SECONDS,
    monitorIntervalSeconds: MONITOR_SECONDS,
  });
  boss.on('error', (cause) => warn({ message: 'pg-boss could not do its work', cause }));
  await boss.start();
  for (const queue of queues) await makeQueue(boss, queue, Math.ceil(heartbeatMs / 1_000));
  return {
    add: async ({ queue, key, payload, startAfter }, tx) => {
      const data = { key: toStoredText(key), payload: toStoredText(payload) };
      await boss.send(queue, data, {
        id: orderedId(),
        singletonKey: data.key,
        ...(startAfter && { startAfter }),
        ...(tx && { db: databaseOf((query) => tx.db.executeQuery(query)) }),
      });
    },
    take: async (queue, count) => {
      const jobs = await boss.fetch(queue, { batchSize: count });
      return jobs.map(({ id, data, retryCount }) => toJob(queue, id, data, retryCount + 1));
    },
    keep: async (job) => affectedSchema.parse(await boss.touch(job.queue, toAttempt(job))).affected > 0,
    finish: async (job) => {
      await boss.complete(job.queue, toAttempt(job));
    },
    giveBack: async (job) => {
      await boss.fail(job.queue, toAttempt(job));
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

async function makeQueue(boss: PgBoss, queue: string, heartbeatSeconds: number): Promise<void> {
  const options = {
    retryLimit: RETRY_LIMIT,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: MAX_RETRY_PAUSE_MS / 1_000,
    expireInSeconds: EXPIRE_SECONDS,
    deleteAfterSeconds: KEEP_DONE_SECONDS,
    heartbeatSeconds,
  };
  await boss.createQueue(queue, { ...options, policy: 'key_strict_fifo' });
  // It may have been made before, by a program with other options.
  await boss.updateQueue(queue, options);
  // Read now, so that what is sent in a transaction need not wait for another connection.
  await boss.getBlockedKeys(queue);
}

/** Lends pg-boss a connection of the store, or a transaction's. */
function databaseOf(execute: (query: CompiledQuery) => Promise<{ readonly rows: readonly unknown[] }>): Db {
  return {
    executeSql: async (text, values = []) => {
      try {
        const { rows } = await execute(CompiledQuery.raw(text, values));
        return { rows: [...rows] };
      } catch (error) {
        // pg-boss looks at SQLSTATE.
        throw StoreError.isInstance(error) && error.cause !== undefined ? error.cause : error;
      }
    },
  };
}

function toJob(queue: string, id: string, data: unknown, attempt: number): Job {
  const { key, payload } = dataSchema.parse(data);
  return { id, queue, key: fromStoredText(key), payload: fromStoredText(payload), attempt };
}

/** What fences a job: another taking of it has another count. */
function toAttempt({ id, attempt }: Job): { readonly id: string; readonly retryCount: number } {
  return { id, retryCount: attempt - 1 };
}

let lastIdMs = 0;

/**
 * Gives an id that grows with every call in this process: jobs of one transaction have one time, and pg-boss orders those by id.
 *
 * A UUID of version 7 whose milliseconds never stand still (RFC 9562, 6.2).
 */
function orderedId(): string {
  lastIdMs = Math.max(lastIdMs + 1, Date.now());
  const time = lastIdMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
