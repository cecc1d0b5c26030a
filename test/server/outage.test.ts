/**
 * Outage of a model's service: it holds no slot, delays no chat of another model, and gets at most one
 * probe a minute in the end. The clock is manual.
 */
import { expect, it } from 'vitest';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ChatModel } from '../../packages/server/src/models/chat-model.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { liveParts } from '../../packages/server/src/live/live-parts.ts';
import { ModelPacing } from '../../packages/server/src/pacing/model-pacing.ts';
import { compatibleModel } from '../../packages/server/src/models/resolve-model.ts';
import { runTurn } from '../../packages/server/src/runner/run-turn.ts';
import type { TurnPorts } from '../../packages/server/src/runner/turn-ports.ts';
import { createChatMachine, type ChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import { httpServer, type HttpServer } from './http-server.ts';
import { message, OWNER, testServer } from './test-server.ts';

const HOUR_MS = 3_600_000;
const PATIENCE = { timeout: 120_000 };

/** Pacing by a manual clock. No timer of it ends. */
function pacingAt(clock: { readonly nowMs: number }): ModelPacing {
  return new ModelPacing({ clock: { now: () => clock.nowMs, after: () => () => undefined } });
}

async function ask(machine: ChatMachine, model: string): Promise<string> {
  const { chat } = await machine.createChat({ owner: OWNER, model, message: message('Hi') });
  return chat.id;
}

it('is reported by /readyz and the metrics, and fails calls of /v1 at once', async () => {
  const store = await openStore({ url: ':memory:' });
  await using server = await httpServer({
    store,
    script: () => reply.error(503),
    http: {
      pacing: pacingAt({ nowMs: 0 }),
      openAI: { models: { list: () => [ID], find: () => Promise.resolve(model(server)) } },
    },
  });
  const messages = [{ role: 'user', content: 'Hi' }];
  const complete = () => server.ask('POST', '/v1/chat/completions', { body: { model: ID, messages } });
  await complete();
  await complete();
  expect((await server.ask('GET', '/readyz')).json).toEqual({ status: 'ready', unavailable_models: 0 });
  await complete();
  const calls = server.turns.scripted.requests.length;
  // Three calls of each of two requests, and the one of the third, which opens the circuit.
  expect(calls).toBe(7);
  expect((await server.ask('GET', '/readyz')).json).toEqual({ status: 'ready', unavailable_models: 1 });
  expect((await server.ask('GET', '/metrics')).text).toContain(
    `truecast_model_circuit_open{model="${ID}"} 1`,
  );
  expect((await server.ask('GET', '/metrics')).text).toContain(
    `truecast_model_rate_limited{model="${ID}"} 0`,
  );
  const refused = await complete();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([424, '2']);
  expect(refused.json).toMatchObject({ error: { code: 'model_unavailable' } });
  expect(server.turns.scripted.requests).toHaveLength(calls);
  await store.close();
});

it('a hung call of an MCP server leaves its slot to other chats', async () => {
  const store = await openStore({ url: ':memory:' });
  const gate = Promise.withResolvers<void>();
  const hangs: ServerTool = {
    definition: { name: 'hang', description: 'Hangs.', inputSchema: { type: 'object' } },
    server: 'dead',
    run: () => gate.promise.then(() => toolSuccess('late')),
  };
  await using server = await testServer({
    store,
    script: ({ userText, lastToolResult }) =>
      userText === 'Hang' && lastToolResult === undefined ? reply.tool('hang', {}) : reply.text('Done.'),
    concurrency: 1,
    tools: [hangs],
    ports: { slowCallMs: 1 },
  });
  const asked = { owner: OWNER, model: 'test:scripted', message: message('Hang') };
  const { chat } = await server.machine.createChat(asked);
  const other = await ask(server.machine, 'test:scripted');
  await server.until(other, 'waiting');
  gate.resolve();
  await server.until(chat.id, 'waiting');
  expect(JSON.stringify(await server.messages(chat.id))).toContain('late');
  await store.close();
});

const ID = 'test:down';

function model(server: HttpServer): ChatModel {
  const baseURL = server.turns.scripted.openaiUrl;
  return { id: ID, ...compatibleModel(openAICompatible({ baseURL, model: 'scripted' })) };
}

describeOnBothStores('an outage of one model', (open) => {
  it('leaves the slots to the chats of other models', async () => {
    const clock = { nowMs: 1_000_000 };
    await using broken = await scriptedModelServer({ script: () => reply.error(503) });
    const modelAt = (baseURL: string) => compatibleModel(openAICompatible({ baseURL, model: 'scripted' }));
    const down = { id: 'test:down', ...modelAt(broken.openaiUrl) };
    await using server = await testServer({
      store: open(),
      script: () => reply.text('Done.'),
      concurrency: 2,
      machine: { now: () => clock.nowMs },
      ports: {
        backoffFactor: 1,
        pacing: pacingAt(clock),
        models: {
          find: (id) =>
            Promise.resolve(id === down.id ? down : { id: 'test:up', ...modelAt(server.scripted.openaiUrl) }),
        },
      },
    });
    const stuck = await Promise.all(Array.from({ length: 20 }, () => ask(server.machine, down.id)));
    await expect
      .poll(async () => {
        const chats = await Promise.all(
          stuck.map((chatId) => server.machine.readChat({ owner: OWNER, chatId })),
        );
        return chats.filter(({ isAwaitingRetry }) => isAwaitingRetry).length;
      }, PATIENCE)
      .toBe(20);
    // Two slots: each chat called once, until the third one that failed opened the circuit.
    expect(broken.requests.length).toBeLessThanOrEqual(6);
    const healthy = await ask(server.machine, 'test:up');
    await server.until(healthy, 'waiting');
    expect(server.scripted.requests).toHaveLength(1);
    expect(broken.requests.length).toBeLessThanOrEqual(6);
  });

  it('of an hour costs at most one probe a minute, and its chats end with an error', async () => {
    const clock = { nowMs: 1_000_000 };
    await using broken = await scriptedModelServer({
      script: () => reply.error(503, { retryAfterSeconds: 30 }),
    });
    const store = open();
    const machine = createChatMachine({ store, now: () => clock.nowMs });
    const base = compatibleModel(openAICompatible({ baseURL: broken.openaiUrl, model: 'scripted' }));
    const ports: TurnPorts = {
      machine,
      live: liveParts(store),
      models: { find: (id) => Promise.resolve({ id, ...base }) },
      tools: { list: () => Promise.resolve({ tools: [], problems: [] }) },
      pacing: pacingAt(clock),
      random: () => 0.5,
    };
    const chats = await Promise.all(Array.from({ length: 4 }, () => ask(machine, 'test:down')));
    const end = clock.nowMs + HOUR_MS;
    for (; clock.nowMs < end; clock.nowMs += 15_000) {
      for (const chatId of (await machine.sweep()).runnable.filter((id) => chats.includes(id))) {
        const { fence } = await machine.acquire({ chatId, worker: 'one' });
        expect(await runTurn(ports, { fence }, new AbortController().signal)).toMatch(
          /^(?:retrying|ended)$/u,
        );
      }
    }
    // A few to learn of the outage, then one a minute.
    expect(broken.requests.length).toBeLessThanOrEqual(65);
    for (const chatId of chats) {
      expect(await machine.readChat({ owner: OWNER, chatId })).toMatchObject({
        status: 'error',
        error: { kind: 'overloaded' },
      });
    }
  });
});
