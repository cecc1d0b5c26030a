/** Owns the life of jobs in this process: taken, kept alive, done, put back; the same over both engines. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors/store-error.ts';
import type { StoreWarning } from '../store.ts';
import type { JobEngine } from './job-engine.ts';
import type { Job, JobHandler } from './job-queue.ts';
import type { Places } from './places.ts';

/** How often a worker looks without being told: hints can be missed, and a time of starting comes without one. */
const POLL_MS = 1_000;
/** Signs of life in one heartbeat: two may be lost. */
const SIGNS_PER_HEARTBEAT = 3;
/** How many jobs are taken at a time. */
const BATCH = 16;
const SETTLE_PAUSES_MS = [50, 200, 1_000, 3_000];

/** What a worker works with. */
export interface JobWorkerOptions {
  readonly engine: JobEngine;
  readonly queue: string;
  readonly heartbeatMs: number;
  readonly places: Places;
  readonly maxAttempts: number;
  readonly handler: JobHandler;
  /** Tells every worker on the queue that it may find a job. */
  readonly wakeAll: () => void;
  readonly warn: (warning: StoreWarning) => void;
}

interface RunningJob {
  readonly job: Job;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Does the jobs of one queue in this process. */
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
    options.places.onFree(() => {
      if (this.#mustLookAgain) this.look();
    });
    this.look();
  }

  /** Looks for jobs now, once more when it is already looking, or as soon as there is a place for one. */
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
    const ended = Promise.all([...this.#running].map((running) => running.ended));
    const timeout = new AbortController();
    // Unreferenced: a handler that never ends must not keep the process.
    await Promise.race([ended, sleep(timeoutMs, undefined, { signal: timeout.signal, ref: false })]);
    timeout.abort();
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #takeAll(): Promise<void> {
    this.#isLooking = true;
    while (this.#mustLookAgain && !this.#isClosing) {
      const taken = this.#options.places.take(BATCH);
      // The next place that becomes free is for the queue.
      if (taken === 0) break;
      this.#mustLookAgain = false;
      const unused = taken - (await this.#take(taken));
      // There may be more: they come before what has not been put into the queue yet.
      if (unused === 0) this.#mustLookAgain = true;
      else this.#options.places.giveBack(unused);
    }
    this.#isLooking = false;
  }

  /** Begins as many jobs as there are, at most `count`; returns how many. */
  async #take(count: number): Promise<number> {
    const { engine, queue, warn } = this.#options;
    try {
      const jobs = await engine.take(queue, count);
      for (const job of jobs) this.#begin(job);
      return jobs.length;
    } catch (cause) {
      warn({ message: `Could not look for jobs of \`${queue}\``, cause });
      return 0;
    }
  }

  #begin(job: Job): void {
    const controller = new AbortController();
    const ended = this.#do(job, controller.signal).finally(() => {
      this.#running.delete(running);
      this.#options.places.giveBack();
      this.look();
      // The next of its key may run now, wherever there is room.
      this.#options.wakeAll();
    });
    const running: RunningJob = { job, controller, ended };
    this.#running.add(running);
    if (this.#isClosing) controller.abort(closingError());
  }

  async #do(job: Job, signal: AbortSignal): Promise<void> {
    const { engine, handler, maxAttempts, warn } = this.#options;
    try {
      // One whose worker died every time is not given the chance to kill all of them.
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

  /** Settles a job, patiently while the database is away; at last it is done again, as after a crash. */
  async #settle(job: Job, settle: () => Promise<void>): Promise<void> {
    for (const pauseMs of [...SETTLE_PAUSES_MS, undefined]) {
      try {
        await settle();
        return;
      } catch (cause) {
        if (pauseMs === undefined)
          this.#options.warn({ message: `A job of \`${job.queue}\` will run again`, cause });
        else await sleep(pauseMs);
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
      warn({ message: `Could not give a sign of life for a job of \`${job.queue}\``, cause });
    }
  }
}

function closingError(): StoreError {
  return new StoreError('The queue is closing: another worker takes the job. Stop at once.', {
    code: 'closed',
  });
}

function lostError(): StoreError {
  return new StoreError(
    'The job is no longer ours: this process gave no sign of life for too long. Stop at once.',
    {
      code: 'job-lost',
    },
  );
}
