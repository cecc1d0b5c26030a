import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { StoreWarning } from '../database/store.ts';
import { retryPauseMs, type JobEngine } from './job-engine.ts';
import type { Job, JobHandler } from './job-queue.ts';
import { JobWorker } from './job-worker.ts';
import { Places } from './places.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HEARTBEAT_MS = 9_000;
const job = (id: string, attempt = 1): Job => ({ id, queue: 'turns', key: id, payload: '', attempt });

/** A worker on an engine in memory, and what it did. */
function startWorker(
  handler: JobHandler,
  { waiting = [] as Job[], slots = 1, failing = 0, unread = 0 } = {},
) {
  const done: string[] = [];
  const warnings: StoreWarning[] = [];
  let [failures, unreadable, isMine] = [failing, unread, true];
  const settled = (word: string) => async (): Promise<void> => {
    if (failures > 0) {
      failures -= 1;
      throw new Error('away');
    }
    done.push(word);
  };
  const engine: JobEngine = {
    add: async () => undefined,
    take: async (_queue, count) => {
      if (unreadable > 0) {
        unreadable -= 1;
        throw new Error('away');
      }
      return waiting.splice(0, count);
    },
    keep: async ({ id }) => {
      done.push(`keep ${id}`);
      return isMine;
    },
    finish: ({ id }) => settled(`finish ${id}`)(),
    giveBack: ({ id }, reason) => settled(`${reason} ${id}`)(),
    close: async () => undefined,
  };
  const places = new Places(slots);
  const worker = new JobWorker({
    engine,
    queue: 'turns',
    heartbeatMs: HEARTBEAT_MS,
    places,
    maxAttempts: 3,
    handler,
    wakeAll: () => done.push('wake'),
    warn: (warning) => warnings.push(warning),
  });
  const lose = (): void => void (isMine = false);
  return { worker, places, waiting, done, warnings, lose };
}

const untilAborted: JobHandler = async (_job, signal) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  signal.throwIfAborted();
};

it('takes as many jobs as it has slots, and the next when one ends', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const handler: JobHandler = async ({ id }) => {
    begun.push(id);
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  const { worker, done, places } = startWorker(handler, {
    waiting: [job('a'), job('b'), job('c')],
    slots: 2,
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a', 'b']);
  expect(places.takeUnclaimed()).toBe(false);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a', 'b', 'c']);
  expect(done).toEqual(['finish a', 'wake']);
  for (const end of ends) end();
  await vi.advanceTimersByTimeAsync(0);
  expect(done.filter((word) => word !== 'wake')).toEqual(['finish a', 'finish b', 'finish c']);
  expect(done).toHaveLength(6);
  expect(places.take(5)).toBe(2);
  await worker.close(0);
});

it('polls once a second for jobs without a notification, and not after its end', async () => {
  const { worker, waiting, done } = startWorker(async () => undefined);
  await vi.advanceTimersByTimeAsync(0);
  waiting.push(job('a'));
  await vi.advanceTimersByTimeAsync(999);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual(['finish a', 'wake']);
  await worker.close(0);
  waiting.push(job('b'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(waiting).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('returns a failed job, and drops it with its last attempt', async () => {
  const failing: JobHandler = async () => {
    throw new Error('no');
  };
  const { worker, done, warnings } = startWorker(failing, { waiting: [job('a', 2), job('b', 3)], slots: 2 });
  await vi.advanceTimersByTimeAsync(0);
  expect(done.filter((word) => word !== 'wake')).toEqual(['failed a', 'finish b']);
  expect(warnings.map(({ message }) => message)).toEqual([
    'A job of `turns` failed',
    'A job of `turns` failed for the last time and was dropped',
  ]);
  await worker.close(0);
});

it('does not run a job whose workers died too often', async () => {
  const handler = vi.fn<JobHandler>(async () => undefined);
  const { worker, done, warnings } = startWorker(handler, { waiting: [job('a', 4)] });
  await vi.advanceTimersByTimeAsync(0);
  expect(handler).not.toHaveBeenCalled();
  expect(done).toEqual(['finish a', 'wake']);
  expect(warnings).toMatchObject([
    { message: 'A job of `turns` was dropped: its workers died', cause: { id: 'a' } },
  ]);
  await worker.close(0);
});

it('completes a job after the database was away', async () => {
  vi.useRealTimers();
  const { worker, done, warnings } = startWorker(async () => undefined, { waiting: [job('a')], failing: 2 });
  await vi.waitFor(() => expect(done).toEqual(['finish a', 'wake']), 10_000);
  expect(warnings).toEqual([]);
  await worker.close(0);
});

it('warns of a job that it could not complete, which is delivered again', async () => {
  const paused = vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  syncBuiltinESMExports();
  const { worker, places, done, warnings } = startWorker(async () => undefined, {
    waiting: [job('a')],
    failing: 99,
  });
  await vi.advanceTimersByTimeAsync(0);
  paused.mockRestore();
  syncBuiltinESMExports();
  expect(warnings).toMatchObject([
    { message: 'A job of `turns` will run again', cause: { message: 'away' } },
  ]);
  expect(done).toEqual(['wake']);
  expect(places.take(5)).toBe(1);
  await worker.close(0);
});

it('sends three heartbeats in the time of one, and aborts a job that another worker has', async () => {
  const reasons: unknown[] = [];
  const handler: JobHandler = async (_job, signal) => {
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    await untilAborted(_job, signal);
  };
  const { worker, done, lose } = startWorker(handler, { waiting: [job('a')] });
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(done).toEqual(['keep a', 'keep a', 'keep a']);
  lose();
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS / 3);
  expect(reasons).toMatchObject([{ code: 'job-lost' }]);
  await worker.close(0);
});

it('sends no heartbeat for a job that has ended', async () => {
  const { worker, done } = startWorker(async () => undefined, { waiting: [job('a')] });
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(done).toEqual(['finish a', 'wake']);
  await worker.close(0);
});

it('warns of jobs that it cannot query, keeps its slots, and asks again', async () => {
  const { worker, done, warnings } = startWorker(async () => undefined, { waiting: [job('a')], unread: 1 });
  await vi.advanceTimersByTimeAsync(0);
  expect(warnings).toMatchObject([
    { message: 'Could not query the jobs of `turns`', cause: { message: 'away' } },
  ]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(done).toEqual(['finish a', 'wake']);
  await worker.close(0);
});

it('aborts its jobs when it closes, returns them, and takes no other', async () => {
  const { worker, waiting, done } = startWorker(untilAborted, { waiting: [job('a')] });
  await vi.advanceTimersByTimeAsync(0);
  waiting.push(job('b'));
  const closing = worker.close(1_000);
  await vi.advanceTimersByTimeAsync(0);
  await closing;
  expect(done).toEqual(['closing a', 'wake']);
  expect(waiting).toHaveLength(1);
});

it('a failed job waits 1 s, then twice as long each time, and at most 30 s', () => {
  expect([1, 2, 3, 5, 6, 20].map(retryPauseMs)).toEqual([1_000, 2_000, 4_000, 16_000, 30_000, 30_000]);
});
