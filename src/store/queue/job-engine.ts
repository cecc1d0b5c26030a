/** Owns what a queue asks of its engine: the seam between pg-boss and the table of jobs. */
import type { StoreTransaction } from '../store.ts';
import type { Job, NewJob } from './job-queue.ts';

/** One engine under a queue. Every method throws what its database throws. */
export interface JobEngine {
  add(job: NewJob, tx: StoreTransaction | undefined): Promise<void>;
  /** Takes at most `count` jobs that may run now. */
  take(queue: string, count: number): Promise<readonly Job[]>;
  /** Gives a sign of life; false when the job is another worker's by now. */
  keep(job: Job): Promise<boolean>;
  /** Removes a job that is done; does nothing when it is another worker's by now. */
  finish(job: Job): Promise<void>;
  /** Puts a job back, to be taken again by whoever is there. */
  giveBack(job: Job, reason: 'failed' | 'closing'): Promise<void>;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
/** The longest pause before a failed job is tried again. */
export const MAX_RETRY_PAUSE_MS = 30_000;

/** How long a job waits that failed for the `attempt`th time. */
export function retryPauseMs(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_RETRY_PAUSE_MS);
}
