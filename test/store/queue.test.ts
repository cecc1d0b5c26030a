import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import type { Job, JobQueue } from '../../packages/store/src/queue/job-queue.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import type { Store, StoreWarning } from '../../packages/store/src/database/store.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';

const PATIENCE = { timeout: 120_000, interval: 20 };

describeOnBothStores('a queue', (fixture) => {
  const queues: JobQueue[] = [];
  const warnings: StoreWarning[] = [];
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
    warnings.length = 0;
  });

  async function open(store: Store): Promise<JobQueue> {
    const queue = await openJobQueue({
      store,
      queues: ['turns', 'empty'],
      onWarning: (warning) => warnings.push(warning),
    });
    queues.push(queue);
    return queue;
  }

  it('delivers a job to its worker, with any key and payload', async () => {
    const queue = await open(await fixture.open());
    const done: Job[] = [];
    await queue.work('turns', {}, async (job) => void done.push(job));
    const key = 'a\0\uD800\u0010';
    const payload = '\0\uDC00{"\\u0000":1}';
    await queue.enqueue({ queue: 'turns', key, payload });
    await vi.waitFor(
      () => expect(done).toMatchObject([{ queue: 'turns', key, payload, attempt: 1 }]),
      PATIENCE,
    );
    await sleep(100);
    expect(done).toHaveLength(1);
  });

  it('runs the jobs of one key in order, and those of other keys concurrently', async () => {
    const url = await fixture.freshUrl();
    const first = await open(await fixture.open(url));
    const second = await open(await fixture.open(url));
    const done: string[] = [];
    const running = new Map<string, number>();
    let most = 0;
    const handler = async ({ key, payload }: Job): Promise<void> => {
      expect(running.get(key) ?? 0).toBe(0);
      running.set(key, 1);
      most = Math.max(
        most,
        [...running.values()].reduce((sum, count) => sum + count),
      );
      await sleep(10);
      running.set(key, 0);
      done.push(payload);
    };
    for (let index = 0; index < 5; index += 1) {
      for (const key of ['a', 'b', 'c']) {
        await first.enqueue({ queue: 'turns', key, payload: `${key}${index}` });
      }
    }
    await first.work('turns', { concurrency: 2 }, handler);
    await second.work('turns', { concurrency: 2 }, handler);
    await vi.waitFor(() => expect(done).toHaveLength(15), PATIENCE);
    for (const key of ['a', 'b', 'c']) {
      const ofKey = done.filter((payload) => payload.startsWith(key));
      expect(ofKey).toEqual([0, 1, 2, 3, 4].map((index) => `${key}${index}`));
    }
    expect(most).toBeGreaterThan(1);
    expect(warnings).toEqual([]);
  });

  it('enqueues a job with the commit of its transaction, in order, and none on rollback', async () => {
    const store = await fixture.open();
    const queue = await open(store);
    const done: string[] = [];
    const failed = store.transaction(async (tx) => {
      await queue.enqueue({ queue: 'turns', key: 'a', payload: 'never' }, tx);
      throw new UsageError('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    await store.transaction(async (tx) => {
      for (const payload of ['1', '2', '3', '4']) {
        await queue.enqueue({ queue: 'turns', key: 'a', payload }, tx);
      }
    });
    await queue.work('turns', { concurrency: 3 }, async ({ payload }) => void done.push(payload));
    await vi.waitFor(() => expect(done).toEqual(['1', '2', '3', '4']), PATIENCE);
  });

  it('retries a failed job before the others of its key, and finally drops it with a warning', async () => {
    const queue = await open(await fixture.open());
    const done: string[] = [];
    await queue.enqueue({ queue: 'turns', key: 'a', payload: 'bad' });
    await queue.enqueue({ queue: 'turns', key: 'a', payload: 'good' });
    await queue.work('turns', { maxAttempts: 2 }, async ({ payload, attempt }) => {
      done.push(`${payload} ${attempt}`);
      if (payload === 'bad') throw new UsageError('no');
    });
    await vi.waitFor(() => expect(done).toEqual(['bad 1', 'bad 2', 'good 1']), PATIENCE);
    expect(warnings.map(({ message }) => message)).toEqual([
      'A job of `turns` failed',
      'A job of `turns` failed for the last time and was dropped',
    ]);
  });

  it('delays a job until its time, and runs the others of its key before it', async () => {
    const queue = await open(await fixture.open());
    const done: string[] = [];
    const startAfter = new Date(Date.now() + 1_500);
    await queue.enqueue({ queue: 'turns', key: 'a', payload: 'later', startAfter });
    await queue.enqueue({ queue: 'turns', key: 'a', payload: 'now' });
    await queue.work('turns', {}, async ({ payload }) => {
      if (payload === 'later') expect(Date.now()).toBeGreaterThanOrEqual(startAfter.getTime());
      done.push(payload);
    });
    await vi.waitFor(() => expect(done).toEqual(['now', 'later']), PATIENCE);
  });

  it('keeps jobs until it is opened again, including a job that was running when it closed', async () => {
    const url = await fixture.freshUrl();
    const store = await fixture.open(url);
    const queue = await open(store);
    const reasons: unknown[] = [];
    await queue.work('turns', {}, async (_job, signal) => {
      await once(signal, 'abort');
      reasons.push(signal.reason);
      signal.throwIfAborted();
    });
    await queue.enqueue({ queue: 'turns', key: 'a', payload: 'under way' });
    await queue.enqueue({ queue: 'turns', key: 'b', payload: 'waiting' });
    await sleep(500);
    await queue.close();
    await store.close();
    expect(reasons).toMatchObject([{ code: 'closed' }]);
    const done: string[] = [];
    const again = await open(await fixture.open(url));
    await again.work('turns', {}, async ({ payload }) => void done.push(payload));
    await vi.waitFor(() => expect(done.sort()).toEqual(['under way', 'waiting']), PATIENCE);
  });

  it('is opened by several processes at once', async () => {
    const url = await fixture.emptyUrl();
    const all = await Promise.all([1, 2, 3].map(async () => open(await fixture.open(url))));
    const done: string[] = [];
    for (const queue of all) {
      await queue.work('turns', {}, async ({ payload }) => void done.push(payload));
      await queue.enqueue({ queue: 'turns', key: 'a', payload: 'one' });
    }
    await vi.waitFor(() => expect(done).toEqual(['one', 'one', 'one']), PATIENCE);
  });

  it('rejects options out of range, and calls after it is closed', async () => {
    const queue = await open(await fixture.open());
    const handler = async (): Promise<void> => {};
    await expect(queue.work('turns', { concurrency: 0 }, handler)).rejects.toThrow(UsageError);
    await expect(queue.work('turns', { maxAttempts: 0.5 }, handler)).rejects.toThrow(UsageError);
    await expect(queue.work('unnamed', {}, handler)).rejects.toThrow(UsageError);
    await queue.work('turns', {}, handler);
    await expect(queue.work('turns', {}, handler)).rejects.toThrow(UsageError);
    await queue.close();
    await expect(queue.enqueue({ queue: 'turns', key: 'a', payload: '' })).rejects.toMatchObject({
      code: 'closed',
    });
    await expect(queue.work('empty', {}, handler)).rejects.toMatchObject({ code: 'closed' });
  });
});
