/** Queue engine on Postgres: pg-boss over the store's connections. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { PgBoss, type Db, type JobAttempt } from 'pg-boss';
import { z } from 'zod';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { fromStoredText, toStoredText } from '../database/stored-text.ts';
import type { Store, StoreWarning } from '../database/store.ts';
import { MAX_RETRY_PAUSE_MS, type JobEngine } from './job-engine.ts';
import type { Job } from './job-queue.ts';
import { joinCalls } from './join-calls.ts';

/** Schema of pg-boss's tables, created with the store's tables. */
const SCHEMA = 'truecast_queue';
/**
 * Workers drop a job with a warning long before this limit. At the limit, pg-boss would let the job
 * block its key.
 */
const RETRY_LIMIT = 10_000;
/** The maximum of pg-boss, because heartbeats distinguish dead workers from slow ones. */
const EXPIRE_SECONDS = 24 * 60 * 60 - 1;
const KEEP_DONE_SECONDS = 60;
/** Interval at which pg-boss checks for missing heartbeats, and how long it remembers a check. */
const MONITOR_SECONDS = 1;

interface PgBossOptions {
  readonly queues: readonly string[];
  readonly heartbeatMs: number;
  readonly warn: (warning: StoreWarning) => void;
}

/** A job's data as pg-boss stores it: JSON whose text cannot contain NUL or lone surrogates. */
const dataSchema = z.object({ key: z.string(), payload: z.string() });
const affectedSchema = z.object({ affected: z.number() });

/** Creates the engine on `store` and creates or migrates pg-boss's tables. */
export async function pgBossJobs(
  store: Store,
  { queues, heartbeatMs, warn }: PgBossOptions,
): Promise<JobEngine> {
  // Its timers and caches must run outside of any transaction, whatever code starts them.
  const outside = AsyncLocalStorage.snapshot();
  const boss = new PgBoss({
    db: databaseOf((query) => outside(() => store.db.executeQuery(query))),
    schema: SCHEMA,
    createSchema: false,
    schedule: false,
    superviseIntervalSeconds: MONITOR_SECONDS,
    monitorIntervalSeconds: MONITOR_SECONDS,
    // Its spans would start separate traces, beside that of the request.
    openTelemetry: { enabled: false },
  });
  boss.on('error', (cause) => warn({ message: 'pg-boss reported an error', cause }));
  await boss.start();
  for (const queue of queues) await makeQueue(boss, queue, Math.ceil(heartbeatMs / 1_000));
  // Jobs that only announce work often end together.
  const finishers = new Map(
    queues.map((queue) => [queue, joinCalls<JobAttempt>((all) => boss.complete(queue, [...all]))]),
  );
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
    finish: async (job) => finishers.get(job.queue)?.(toAttempt(job)),
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
  // An earlier program can have created the queue with other options.
  await boss.updateQueue(queue, options);
  // Read now, so that a send within a transaction does not need another connection.
  await boss.getBlockedKeys(queue);
}

/** Gives pg-boss a connection of the store, or of a transaction. */
function databaseOf(execute: (query: CompiledQuery) => Promise<{ readonly rows: readonly unknown[] }>): Db {
  return {
    executeSql: async (text, values = []) => {
      try {
        const { rows } = await execute(CompiledQuery.raw(text, values));
        return { rows: [...rows] };
      } catch (error) {
        // pg-boss reads SQLSTATE from the original error.
        throw StoreError.isInstance(error) && error.cause !== undefined ? error.cause : error;
      }
    },
  };
}

function toJob(queue: string, id: string, data: unknown, attempt: number): Job {
  const { key, payload } = dataSchema.parse(data);
  return { id, queue, key: fromStoredText(key), payload: fromStoredText(payload), attempt };
}

/** Returns the fencing token of a job, which includes the number of its delivery. */
function toAttempt({ id, attempt }: Job): JobAttempt {
  return { id, retryCount: attempt - 1 };
}

let lastIdMs = 0;

/**
 * Returns an id that grows with every call in this process. pg-boss orders jobs of one transaction
 * by id, because they have the same time.
 *
 * A UUID version 7 with monotonic milliseconds (RFC 9562, 6.2).
 */
function orderedId(): string {
  lastIdMs = Math.max(lastIdMs + 1, Date.now());
  const time = lastIdMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
