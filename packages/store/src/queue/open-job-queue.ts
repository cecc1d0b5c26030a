/** Opens a job queue on a store. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { loadPackage } from '@truecast/core/internal/errors/load-package';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { emitWarning } from '../database/emit-warning.ts';
import { closedError } from '../database/own-errors.ts';
import type { Store, StoreWarning } from '../database/store.ts';
import type { JobQueue } from './job-queue.ts';
import { JobWorker } from './job-worker.ts';
import { Places } from './places.ts';
import { scheduleWork } from './schedule-work.ts';
import { sqliteJobs } from './sqlite-jobs.ts';
import { wakeOnce } from './wake-once.ts';

const CLOSE_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 10_000;
/**
 * The minimum that pg-boss supports. It is the same on both engines, so that programs are portable.
 */
const MIN_HEARTBEAT_MS = 10_000;
const DEFAULT_CONCURRENCY = 1;
const DEFAULT_MAX_ATTEMPTS = 20;

export interface OpenJobQueueOptions {
  readonly store: Store;
  /** All queue names: letters, digits, `-`, `_`, `.`, `/`. */
  readonly queues: readonly string[];
  /**
   * Heartbeat timeout: a job without a keep-alive for this time is given to another worker. At
   * least 10,000.
   *
   * @default 10_000
   */
  readonly heartbeatMs?: number;
  /**
   * Called for failed jobs, and for faults outside any call.
   *
   * @default process.emitWarning
   */
  readonly onWarning?: (warning: StoreWarning) => void;
}

/**
 * Opens the queues of a store.
 *
 * @throws UsageError
 * @throws StoreError
 */
export async function openJobQueue(options: OpenJobQueueOptions): Promise<JobQueue> {
  const { store, queues, heartbeatMs = HEARTBEAT_MS, onWarning: warn = emitWarning } = options;
  refuseBelow('heartbeatMs', heartbeatMs, MIN_HEARTBEAT_MS);
  const engine =
    store.dialect === 'sqlite'
      ? sqliteJobs(store, heartbeatMs)
      : await (
          await loadPackage(['pg-boss'], () => import('./pg-boss-jobs.ts'))
        ).pgBossJobs(store, { queues, heartbeatMs, warn });
  const workers = new Map<string, { readonly worker: JobWorker; readonly leave: () => void }>();
  let closing: Promise<void> | undefined;
  const check = (queue: string): void => {
    if (closing !== undefined) throw closedError();
    if (queues.includes(queue)) return;
    throw new UsageError(
      `Expected one of the opened queues ${queues.join(' or ')}, got ${describeValue(queue)}. Add it to \`queues\`.`,
    );
  };
  const wakeAll = wakeOnce((queue) => store.notifications.publish(channelOf(queue), ''));
  const closeAll = async (timeoutMs: number): Promise<void> => {
    for (const { leave } of workers.values()) leave();
    await Promise.all([...workers.values()].map(({ worker }) => worker.close(timeoutMs)));
    await engine.close();
  };
  return {
    enqueue: async (job, tx) => {
      check(job.queue);
      await engine.add(job, tx);
      if (tx === undefined) {
        // Called before the notification arrives, so that a free slot here takes this job.
        workers.get(job.queue)?.worker.look();
        wakeAll(job.queue);
      } else await tx.notify(channelOf(job.queue), '');
    },
    work: async (queue, work = {}, handler) => {
      check(queue);
      const { concurrency = DEFAULT_CONCURRENCY, maxAttempts = DEFAULT_MAX_ATTEMPTS } = work;
      refuseBelow('concurrency', concurrency, 1);
      refuseBelow('maxAttempts', maxAttempts, 1);
      const places = work.places ?? new Places(concurrency);
      if (workers.has(queue)) {
        throw new UsageError(
          `Expected one worker per process for the queue ${describeValue(queue)}, got a second. Raise \`concurrency\`.`,
        );
      }
      const options = { engine, queue, heartbeatMs, places, maxAttempts, handler, warn };
      const worker = new JobWorker({ ...options, wakeAll: () => wakeAll(queue) });
      const leave = store.notifications.subscribe(channelOf(queue), () => worker.look());
      workers.set(queue, { worker, leave });
    },
    schedule: scheduleWork,
    close: ({ timeoutMs = CLOSE_TIMEOUT_MS } = {}) => (closing ??= closeAll(timeoutMs)),
  };
}

function channelOf(queue: string): string {
  return `queue ${queue}`;
}

function refuseBelow(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new UsageError(
    `Expected \`${name}\` to be a whole number of at least ${least}, got ${describeValue(value)}. Pass such a number.`,
  );
}
