/**
 * Job lifecycle in this process: take, keep alive, execute, complete or return. Shared by both
 * engines.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { StoreWarning } from '../database/store.ts';
import { endedWithin } from './ended-within.ts';
import type { JobEngine } from './job-engine.ts';
import type { Job, JobHandler } from './job-queue.ts';
import type { Places } from './places.ts';

/** Poll interval, because notifications can be lost, and delayed jobs send none. */
const POLL_MS = 1_000;
/** Keep-alives per heartbeat. Two can be lost. */
const SIGNS_PER_HEARTBEAT = 3;
/** Jobs per fetch. */
const BATCH = 16;
const SETTLE_PAUSES_MS = [50, 200, 1_000, 3_000];

export interface JobWorkerOptions {
  readonly engine: JobEngine;
  readonly queue: string;
  readonly heartbeatMs: number;
  readonly places: Places;
  readonly maxAttempts: number;
  readonly handler: JobHandler;
  /** Wakes every worker of the queue. */
  readonly wakeAll: () => void;
  readonly warn: (warning: StoreWarning) => void;
}

interface RunningJob {
  readonly job: Job;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Processes the jobs of one queue in this process. */
export class JobWorker {
  readonly #options: JobWorkerOptions;
  readonly #running = new Set<RunningJob>();
  readonly #timers: readonly NodeJS.Timeout[];
  #looking: Promise<void> | undefined;
  #isLooking = false;
  #mustLookAgain = false;
  #isClosing = false;

  constructor(options: JobWorkerOptions) {
    this.#options = options;
    const keepMs = options.heartbeatMs / SIGNS_PER_HEARTBEAT;
    this.#timers = [setInterval(() => this.look(), POLL_MS), setInterval(() => this.#keepAll(), keepMs)];
    const isWaiting = (): boolean => this.#mustLookAgain;
    options.places.onFree(() => {
      if (isWaiting()) this.look();
    }, isWaiting);
    this.look();
  }

  /** Polls now, once more if a poll is running, or as soon as a slot is free. */
  look(): void {
    this.#mustLookAgain = true;
    if (!this.#isLooking) this.#looking = this.#takeAll();
  }

  async close(timeoutMs: number): Promise<void> {
    this.#isClosing = true;
    const [poll] = this.#timers;
    clearInterval(poll);
    await this.#looking;
    for (const { controller } of this.#running) controller.abort(closingError());
    await endedWithin(
      [...this.#running].map((running) => running.ended),
      timeoutMs,
    );
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #takeAll(): Promise<void> {
    this.#isLooking = true;
    while (this.#mustLookAgain && !this.#isClosing) {
      const taken = this.#options.places.take(BATCH);
      // The queue gets the next free slot.
      if (taken === 0) break;
      this.#mustLookAgain = false;
      const unused = taken - (await this.#take(taken));
      // More jobs can be waiting. They run before work that is not queued yet.
      if (unused === 0) this.#mustLookAgain = true;
      else this.#options.places.giveBack(unused);
    }
    this.#isLooking = false;
  }

  /** Starts at most `count` available jobs. Returns their number. */
  async #take(count: number): Promise<number> {
    const { engine, queue, warn } = this.#options;
    try {
      const jobs = await engine.take(queue, count);
      for (const job of jobs) this.#begin(job);
      return jobs.length;
    } catch (cause) {
      warn({ message: `Could not query the jobs of \`${queue}\``, cause });
      return 0;
    }
  }

  #begin(job: Job): void {
    const controller = new AbortController();
    const ended = this.#do(job, controller.signal).finally(() => {
      this.#running.delete(running);
      this.#options.places.giveBack();
      this.look();
      // Wakes all workers, because the next job of this key can run now, on any worker with a free
      // slot.
      this.#options.wakeAll();
    });
    const running: RunningJob = { job, controller, ended };
    this.#running.add(running);
    if (this.#isClosing) controller.abort(closingError());
  }

  async #do(job: Job, signal: AbortSignal): Promise<void> {
    const { engine, handler, maxAttempts, warn } = this.#options;
    try {
      // A job that always kills its worker must not kill all workers.
      if (job.attempt <= maxAttempts) await handler(job, signal);
      else warn({ message: `A job of \`${job.queue}\` was dropped: its workers died`, cause: job });
    } catch (cause) {
      if (signal.aborted) return this.#settle(job, () => engine.giveBack(job, 'closing'));
      const isLast = job.attempt >= maxAttempts;
      warn({
        message: `A job of \`${job.queue}\` failed${isLast ? ' for the last time and was dropped' : ''}`,
        cause,
      });
      if (!isLast) return this.#settle(job, () => engine.giveBack(job, 'failed'));
    }
    await this.#settle(job, () => engine.finish(job));
  }

  /**
   * Completes or returns a job, with retries while the database is unreachable. If all fail, it is
   * delivered again, as after a crash.
   */
  async #settle(job: Job, settle: () => Promise<void>): Promise<void> {
    for (const pauseMs of [...SETTLE_PAUSES_MS, undefined]) {
      try {
        await settle();
        return;
      } catch (cause) {
        if (pauseMs === undefined) {
          this.#options.warn({ message: `A job of \`${job.queue}\` will run again`, cause });
        } else await sleep(pauseMs);
      }
    }
  }

  #keepAll(): void {
    for (const running of this.#running) void this.#keep(running);
  }

  async #keep({ job, controller }: RunningJob): Promise<void> {
    const { engine, warn } = this.#options;
    try {
      if (!(await engine.keep(job))) controller.abort(lostError());
    } catch (cause) {
      warn({ message: `Could not send the heartbeat for a job of \`${job.queue}\``, cause });
    }
  }
}

function closingError(): StoreError {
  return new StoreError('The queue is closing: another worker takes the job. Stop at once.', {
    code: 'closed',
  });
}

function lostError(): StoreError {
  return new StoreError('This process lost the job: its heartbeats stopped for too long. Stop at once.', {
    code: 'job-lost',
  });
}
