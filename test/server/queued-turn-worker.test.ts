/**
 * Tests of processes that share chats: which one takes which job, and when one yields to another.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { liveParts } from '../../packages/server/src/live/live-parts.ts';
import { compatibleModel } from '../../packages/server/src/models/resolve-model.ts';
import {
  startTurnScheduler as startQueuedTurnWorker,
  TURN_QUEUE,
  type TurnScheduler as TurnWorker,
} from '../../packages/server/src/runner/workers/turn-scheduler.ts';
import type { RunnerEvent } from '../../packages/server/src/runner/turn-ports.ts';
import { createChatMachine, type ChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { agentTools } from '../../packages/server/src/tools/agent-tools.ts';
import { openJobQueue } from '../../packages/store/src/queue/open-job-queue.ts';
import type { JobQueue, NewJob } from '../../packages/store/src/queue/job-queue.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { describeOnBothStores, type StoreFixture } from '../describe-on-both-stores.ts';
import { matrixRow } from '../matrix.ts';
import { message, OWNER } from './test-server.ts';

const PATIENCE = { timeout: 120_000, interval: 20 };

interface Process extends AsyncDisposable {
  readonly machine: ChatMachine;
  readonly worker: TurnWorker;
  readonly model: ScriptedModelServer;
  /** Jobs that were queued. */
  readonly enqueued: NewJob[];
  readonly events: RunnerEvent[];
  ask(text: string): Promise<string>;
  untilEnded(chatIds: readonly string[]): Promise<void>;
}

/** A model that answers `Long` once the gate is open, and everything else at once. */
function gated(): { readonly script: ModelScript; readonly gate: PromiseWithResolvers<void> } {
  const gate = Promise.withResolvers<void>();
  const script: ModelScript = async ({ userText }) => {
    if (userText === 'Long') await gate.promise;
    return reply.text('Done.');
  };
  return { script, gate };
}

/** Occupies a slot of the process until the gate is open. */
async function askLong(process: Process): Promise<string> {
  const chatId = await process.ask('Long');
  await vi.waitFor(() => expect(process.model.requests).toHaveLength(1), PATIENCE);
  return chatId;
}

describeOnBothStores('a worker with a queue', (fixture: StoreFixture) => {
  const itInTurns = matrixRow(fixture.row, { rows: 2 });
  async function openQueue(url: string): Promise<JobQueue> {
    return openJobQueue({ store: await fixture.open(url), queues: [TURN_QUEUE] });
  }

  async function open(
    url: string,
    { concurrency, script }: { readonly concurrency: number; readonly script: ModelScript },
  ): Promise<Process> {
    const store = await fixture.open(url);
    const model = await scriptedModelServer({ script });
    const enqueued: NewJob[] = [];
    const events: RunnerEvent[] = [];
    const machine = createChatMachine({
      store,
      onRunnable: (chatId, owner) => worker.wake(chatId, owner),
      reserve: (chatId, owner) => worker.reserve(chatId, owner),
    });
    const queue = await openJobQueue({
      store,
      queues: [TURN_QUEUE],
      onWarning: (event) => events.push({ level: 'warn', ...event }),
    });
    const recording = {
      ...queue,
      enqueue: async (job: NewJob): Promise<void> => {
        enqueued.push(job);
        await queue.enqueue(job);
      },
    };
    const base = compatibleModel(openAICompatible({ baseURL: model.openaiUrl, model: 'scripted' }));
    const worker = await startQueuedTurnWorker(
      {
        machine,
        live: liveParts(store),
        models: { find: () => Promise.resolve({ id: 'scripted', ...base }) },
        tools: { list: (chat) => Promise.resolve({ tools: agentTools(machine, chat), problems: [] }) },
        onEvent: (event) => events.push(event),
      },
      { queue: recording, concurrency },
    );
    const isEnded = async (chatId: string): Promise<boolean> => {
      const { status, queueLength } = await machine.readChat({ owner: OWNER, chatId });
      return status === 'waiting' && queueLength === 0;
    };
    return {
      machine,
      worker,
      model,
      enqueued,
      events,
      ask: async (text) => {
        const { chat } = await machine.createChat({
          owner: OWNER,
          model: 'scripted',
          message: message(text),
        });
        return chat.id;
      },
      untilEnded: async (chatIds) => {
        for (const chatId of chatIds) {
          await vi.waitFor(async () => expect(await isEnded(chatId)).toBe(true), PATIENCE);
        }
      },
      [Symbol.asyncDispose]: async () => {
        await worker.close();
        await queue.close();
        await model.close();
      },
    };
  }

  itInTurns('runs its own chats without the queue while it has capacity', async () => {
    await using process = await open(await fixture.freshUrl(), {
      concurrency: 2,
      script: () => reply.text('Done.'),
    });
    for (let asked = 0; asked < 20; asked += 1) await process.untilEnded([await process.ask('One')]);
    expect(process.model.requests).toHaveLength(20);
    // A queue poll occupies the slots briefly.
    expect(process.enqueued.length).toBeLessThan(10);
  });

  itInTurns('never runs more concurrent turns than its capacity, from the queue or directly', async () => {
    const gate = Promise.withResolvers<void>();
    let [atOnce, most] = [0, 0];
    const script: ModelScript = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await gate.promise;
      atOnce -= 1;
      return reply.text('Done.');
    };
    await using process = await open(await fixture.freshUrl(), { concurrency: 2, script });
    const asked: string[] = [];
    for (const text of ['One', 'Two', 'Three', 'Four', 'Five']) asked.push(await process.ask(text));
    await vi.waitFor(() => expect(process.model.requests).toHaveLength(2), PATIENCE);
    const queued = () => process.enqueued.map(({ payload }) => payload);
    await vi.waitFor(() => expect(queued()).toEqual(asked.slice(2)), PATIENCE);
    gate.resolve();
    for (const text of ['Six', 'Seven', 'Eight']) asked.push(await process.ask(text));
    await process.untilEnded(asked);
    expect(most).toBe(2);
    expect(process.model.requests).toHaveLength(8);
  });

  itInTurns('runs queued chats before later ones', async () => {
    const order: (string | undefined)[] = [];
    const gate = Promise.withResolvers<void>();
    const script: ModelScript = async ({ userText }) => {
      order.push(userText);
      await gate.promise;
      return reply.text('Done.');
    };
    await using process = await open(await fixture.freshUrl(), { concurrency: 1, script });
    const texts = Array.from({ length: 16 }, (_, index) => `Text ${index}`);
    const asked: string[] = [];
    for (const text of texts.slice(0, 4)) asked.push(await process.ask(text));
    gate.resolve();
    for (const text of texts.slice(4)) {
      asked.push(await process.ask(text));
      // Slots become free between two polls.
      await sleep(15);
    }
    await process.untilEnded(asked);
    expect(order).toEqual(texts);
  });

  itInTurns('gives the next free slot to another owner, however many chats the first one has', async () => {
    const order: (string | undefined)[] = [];
    const gate = Promise.withResolvers<void>();
    const script: ModelScript = async ({ userText }) => {
      order.push(userText);
      await gate.promise;
      return reply.text('Done.');
    };
    await using process = await open(await fixture.freshUrl(), { concurrency: 2, script });
    const asked: string[] = [];
    for (let at = 1; at <= 8; at += 1) asked.push(await process.ask(`First ${at}`));
    await vi.waitFor(() => expect(order).toHaveLength(2), PATIENCE);
    const askAs = async (owner: string, text: string): Promise<string> => {
      const created = { owner, model: 'scripted', message: message(text) };
      return (await process.machine.createChat(created)).chat.id;
    };
    // The first chat of an owner waits for no slot, while there are fewer than twice as many turns.
    for (const owner of ['x', 'y']) await askAs(owner, `Of ${owner}`);
    await vi.waitFor(() => expect(order).toHaveLength(4), PATIENCE);
    expect(order.slice(2)).toEqual(['Of x', 'Of y']);
    const chatId = await askAs('other', 'Other');
    const queued = () => process.enqueued.map(({ payload }) => payload);
    await vi.waitFor(() => expect(queued()).toContain(chatId), PATIENCE);
    gate.resolve();
    await process.untilEnded(asked);
    expect(order).toHaveLength(11);
    // The gate ends several turns at once, so that another chat can start beside it.
    expect([4, 5]).toContain(order.indexOf('Other'));
    const { status } = await process.machine.readChat({ owner: 'other', chatId });
    expect(status).toBe('waiting');
  });

  itInTurns('leaves turns beyond its capacity to another process', async () => {
    const url = await fixture.freshUrl();
    const { script, gate } = gated();
    await using full = await open(url, { concurrency: 1, script });
    const long = await askLong(full);
    await using other = await open(url, { concurrency: 1, script });
    const short = [await full.ask('Short'), await full.ask('Short too')];
    await full.untilEnded(short);
    // The other process is notified of them and need not poll.
    expect(full.enqueued.map(({ payload }) => payload)).toEqual(expect.arrayContaining(short));
    expect(other.model.requests).toHaveLength(2);
    gate.resolve();
    await full.untilEnded([long]);
    expect(full.model.requests).toHaveLength(1);
  });

  itInTurns('queues a turn again if its process stalls', async () => {
    const url = await fixture.freshUrl();
    const { script, gate } = gated();
    await using full = await open(url, { concurrency: 1, script });
    const long = await askLong(full);
    const [still, next] = [await openQueue(url), await openQueue(url)];
    const taken: string[] = [];
    await still.work(TURN_QUEUE, {}, async ({ payload }) => {
      taken.push(payload);
      await gate.promise;
    });
    const left = await full.ask('Left');
    await vi.waitFor(() => expect(taken).toEqual([left]), PATIENCE);
    // A second process, which gets the second job.
    await next.work(TURN_QUEUE, {}, async ({ payload }) => void taken.push(payload));
    await vi.waitFor(() => expect(taken).toEqual([left, left]), PATIENCE);
    gate.resolve();
    await full.untilEnded([long, left]);
    await Promise.all([still.close(), next.close()]);
  });

  itInTurns('lends the capacity of a waiting parent to its child if the capacity is one turn', async () => {
    const script: ModelScript = ({ userText, lastToolResult }) => {
      if (userText === 'Count') return reply.text('Seven.');
      if (lastToolResult === undefined) return reply.tool('spawn_agent', { prompt: 'Count' });
      const id = /[0-9a-f-]{36}/u.exec(lastToolResult.text)?.[0] ?? '';
      if (lastToolResult.name === 'spawn_agent') return reply.tool('wait_agent', { chat_id: id });
      return reply.text(lastToolResult.text);
    };
    await using process = await open(await fixture.freshUrl(), { concurrency: 1, script });
    const chatId = await process.ask('Have it counted');
    await process.untilEnded([chatId]);
    const { messages } = await process.machine.loadTurn(chatId);
    expect(JSON.stringify(messages.at(-1)?.parts)).toContain('Seven.');
  });

  itInTurns(
    'stops its turns after their last commit on close, so that another process continues them',
    async () => {
      const url = await fixture.freshUrl();
      let isHanging = true;
      const script: ModelScript = async ({ signal }) => {
        if (isHanging) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return reply.text('Done.');
      };
      const asked: string[] = [];
      {
        await using leaving = await open(url, { concurrency: 2, script });
        for (const text of ['One', 'Two', 'Three']) asked.push(await leaving.ask(text));
        await vi.waitFor(() => expect(leaving.model.requests).toHaveLength(2), PATIENCE);
        await leaving.worker.close();
        expect(leaving.events).toEqual([]);
        // No process has to wait for a lease to expire.
        const { runnable } = await leaving.machine.sweep();
        expect(runnable.toSorted()).toEqual(asked.toSorted());
      }
      isHanging = false;
      await using next = await open(url, { concurrency: 2, script });
      await next.untilEnded(asked);
      expect(next.model.requests).toHaveLength(3);
    },
  );
});
