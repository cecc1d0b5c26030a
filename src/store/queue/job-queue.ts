/** Owns the contract of the queue: what both of its engines do alike. */
import type { StoreTransaction } from '../store.ts';
import type { Places } from './places.ts';

/** Work to be done later. */
export interface NewJob {
  /** One of those that the queue was opened with. */
  readonly queue: string;
  /** Jobs of one queue with the same key never run at the same time. */
  readonly key: string;
  /** Any text; what is put here is a hint, the rows it names are the truth. */
  readonly payload: string;
  /** Not before; jobs that are ready go before it, also of its key. */
  readonly startAfter?: Date;
}

/** A job that a worker has taken. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly key: string;
  readonly payload: string;
  /** 1 the first time; more after a failure, or after the death of a worker. */
  readonly attempt: number;
}

/**
 * Does a job; called again, by any worker, unless it resolved.
 *
 * `signal` aborts when the queue closes, or when the job was lost to another worker because this process stood still for longer than
 * a heartbeat; then what is written must be refused by the rows' own fences.
 */
export type JobHandler = (job: Job, signal: AbortSignal) => Promise<void>;

/** How jobs of a queue are done. */
export interface WorkOptions {
  /** Jobs at the same time in this process. @default 1 */
  readonly concurrency?: number;
  /** What jobs share with other work of this process; a job is taken only for a free one. @default as many as `concurrency` */
  readonly places?: Places;
  /** A job that failed, or whose worker died, so often is dropped with a warning. @default 20 */
  readonly maxAttempts?: number;
}

/** How a queue is closed. */
export interface CloseQueueOptions {
  /** How long handlers may take to end after their signals; their jobs are another worker's afterwards. @default 10_000 */
  readonly timeoutMs?: number;
}

/**
 * Brings jobs to workers: at least once, one at a time for each key, those of a key in the order in which they were enqueued one
 * after the other. A failed job is tried again after a second at first and half a minute at last, before the others of its key.
 *
 * On Postgres any number of processes share the work; on SQLite those on the one file. The job of a process that was killed is
 * taken over about a heartbeat later.
 */
export interface JobQueue {
  /** Adds a job; within `tx`, if there is one: there is no job without the commit. */
  enqueue(job: NewJob, tx?: StoreTransaction): Promise<void>;
  /** Begins to do the jobs of a queue in this process. Once for each queue. */
  work(queue: string, options: WorkOptions | undefined, handler: JobHandler): Promise<void>;
  /** Stops taking jobs, aborts the signals of those under way, and waits for them. Close it before its store. */
  close(options?: CloseQueueOptions): Promise<void>;
}
