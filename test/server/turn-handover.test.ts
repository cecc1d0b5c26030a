/** A turn that only another process can take: the notification of its job starts it, not a poll. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { TURN_QUEUE } from '../../packages/server/src/runner/workers/turn-scheduler.ts';
import type { JobQueue } from '../../packages/store/src/queue/job-queue.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import type { Places } from '../../packages/store/src/queue/places.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { loneQueue } from './lone-queue.ts';
import { message, OWNER, testServer, type TestServer } from './test-server.ts';

/** The interval at which a worker queries its jobs. */
const POLL_MS = 1_000;
const NEVER_MS = 1_000_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Opens a process with one slot, whose first sweep has ended. */
async function openProcess(store: Store, script: ModelScript): Promise<TestServer> {
  const queue = await openJobQueue({ store, queues: [TURN_QUEUE] });
  const swept = Promise.withResolvers<void>();
  const server = await testServer({
    store,
    queue,
    script,
    concurrency: 1,
    sweepMs: NEVER_MS,
    wrap: (machine) => ({ ...machine, sweep: () => machine.sweep().finally(swept.resolve) }),
  });
  await swept.promise;
  return {
    ...server,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await queue.close();
    },
  };
}

async function begin({ machine }: TestServer, text: string): Promise<string> {
  const asked = { owner: OWNER, model: 'test:scripted', message: message(text) };
  return (await machine.createChat(asked)).chat.id;
}

describeOnBothStores('a turn that only another process can take', (fixture) => {
  it('starts without a poll if notifications reach that process, and else at its next poll', async () => {
    const url = await fixture.freshUrl();
    const [called, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const script: ModelScript = async ({ userText }) => {
      called.resolve();
      if (userText === 'Long') await gate.promise;
      return reply.text('Done.');
    };
    // No interval ends by itself: no poll, no sweep and no heartbeat. `vi.waitFor` would advance them.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const store = await fixture.open(url);
    await using full = await openProcess(store, script);
    const long = await begin(full, 'Long');
    await called.promise;
    await using free = await openProcess(await fixture.open(url), script);
    const short = await begin(full, 'Short');
    if (fixture.dialect === 'sqlite') {
      const jobs = store.db.selectFrom('jobs').selectAll();
      while ((await jobs.execute()).length === 0) await sleep(5);
      expect(free.scripted.requests).toHaveLength(0);
      vi.advanceTimersByTime(POLL_MS);
    }
    await free.until(short, 'waiting');
    expect(free.scripted.requests).toHaveLength(1);
    gate.resolve();
    await full.until(long, 'waiting');
    expect(full.scripted.requests).toHaveLength(1);
  });
});

it('a chat whose slot is held by a poll of the queue is no job', async () => {
  const store = await openStore({ url: ':memory:' });
  const polled = Promise.withResolvers<Places>();
  const enqueued: string[] = [];
  const queue: JobQueue = {
    ...loneQueue(),
    enqueue: async ({ payload }) => void enqueued.push(payload),
    work: async (_queue, work) => {
      if (work?.places !== undefined) polled.resolve(work.places);
    },
  };
  await using server = await testServer({ store, queue, script: () => reply.text('Done.'), concurrency: 1 });
  const places = await polled.promise;
  expect(places.take(1)).toBe(1);
  const chatId = await begin(server, 'Hi');
  // Longer than a chat waits before it is a job.
  await sleep(200);
  places.giveBack();
  await server.until(chatId, 'waiting');
  expect(enqueued).toEqual([]);
  await server[Symbol.asyncDispose]();
  await store.close();
});
