/** Queue interface: behaviour common to both engines. */
import type { StoreTransaction } from '../database/store.ts';
import type { Places } from './places.ts';

export interface NewJob {
  /** One of the queue names given at open. */
  readonly queue: string;
  /** Jobs of one queue with the same key never run concurrently. */
  readonly key: string;
  /** Any string. It is a hint. The rows that it names are the source of truth. */
  readonly payload: string;
  /** Earliest start. Ready jobs run first, even those with the same key. */
  readonly startAfter?: Date;
}

/** A job taken by a worker. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly key: string;
  readonly payload: string;
  /** 1 at first. Increases after a failure or the death of a worker. */
  readonly attempt: number;
}

/**
 * Executes a job. Called again, by any worker, unless it resolved.
 *
 * `signal` aborts when the queue closes, or when another worker took the job because this process
 * stalled for longer than a heartbeat. Its later writes must then be rejected by fencing tokens in
 * the rows.
 */
export type JobHandler = (job: Job, signal: AbortSignal) => Promise<void>;

export interface WorkOptions {
  /** Concurrent jobs in this process. @default 1 */
  readonly concurrency?: number;
  /**
   * Worker slots that jobs share with other work of this process. A job is taken only for a free
   * slot. @default as many as `concurrency`
   */
  readonly places?: Places;
  /**
   * Maximum number of deliveries. A job that failed, or whose worker died, this often is dropped
   * with a warning. @default 20
   */
  readonly maxAttempts?: number;
}

export interface CloseQueueOptions {
  /**
   * Grace period for handlers after their abort signals. Then other workers take their jobs.
   * @default 10_000
   */
  readonly timeoutMs?: number;
}

/**
 * Delivers jobs to workers: at least once, and one at a time per key. Jobs of a key are delivered
 * in the order in which they were enqueued. A failed job is retried after 1 to 30 seconds, before
 * others with its key.
 *
 * On Postgres, any number of processes share the work. On SQLite, processes on the same file share
 * it. The job of a killed process is taken over about one heartbeat later.
 */
export interface JobQueue {
  /** Enqueues a job. Within `tx`, the job exists only if the transaction commits. */
  enqueue(job: NewJob, tx?: StoreTransaction): Promise<void>;
  /** Starts to process a queue in this process. Call once per queue. */
  work(queue: string, options: WorkOptions | undefined, handler: JobHandler): Promise<void>;
  /**
   * Runs `work` now and about every `everyMs`, one call at a time. It needs no slot and no row: each
   * process that schedules it runs it. Returns a function that ends it and waits for its last call. Call
   * that before `close`.
   */
  schedule(everyMs: number, work: () => Promise<void>): () => Promise<void>;
  /** Stops taking jobs, aborts running ones, and waits for them. Close it before its store. */
  close(options?: CloseQueueOptions): Promise<void>;
}
