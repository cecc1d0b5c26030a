/** Engine interface of the queue, implemented with pg-boss and with a SQLite table. */
import type { StoreTransaction } from '../database/store.ts';
import type { Job, NewJob } from './job-queue.ts';

/** Engine of a queue. Every method throws its database's errors. */
export interface JobEngine {
  add(job: NewJob, tx: StoreTransaction | undefined): Promise<void>;
  /** Takes at most `count` runnable jobs. */
  take(queue: string, count: number): Promise<readonly Job[]>;
  /** Heartbeat. Returns false if another worker owns the job. */
  keep(job: Job): Promise<boolean>;
  /** Deletes a finished job. A no-op if another worker owns it. */
  finish(job: Job): Promise<void>;
  giveBack(job: Job, reason: 'failed' | 'closing'): Promise<void>;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
/** Maximum delay before a failed job is retried. */
export const MAX_RETRY_PAUSE_MS = 30_000;

/** Delay of a job after its `attempt`th failure. */
export function retryPauseMs(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_RETRY_PAUSE_MS);
}
