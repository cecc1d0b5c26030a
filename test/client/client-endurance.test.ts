/**
 * Tests of the client with failures: a server that restarts, tools that throw, duplicate ids, and
 * callers that abort.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/create-client.ts';
import { tool } from '../../packages/client/src/client-tools.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { listenHttp } from '../../packages/server/src/http/app/listen-http.ts';
import { settleTurn, callClientTool, startServer } from '../../packages/server/src/http/test-server.ts';
import type { ChatStreamEvent } from '../../packages/client/src/wire/stream-event.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { testServer } from '../server/test-server.ts';
import { clientServer } from './client-server.ts';
import { testModels } from '../../packages/server/src/http/test-models.ts';

const submit = (output: unknown) => reply.toolText(FINALIZER_NAME, JSON.stringify({ output }));
const count = Output.object({ schema: z.object({ n: z.number() }) });

/** A server with a database that outlives it. */
async function serveAt(url: string, port: number, script: ModelScript) {
  const store = await openStore({ url });
  const turns = await testServer({ store, script });
  const { machine, live } = turns;
  const models = testModels('test:scripted');
  const server = await listenHttp({ store, machine, live, models, port, graceMs: 500 });
  return {
    url: server.url,
    store,
    close: async () => {
      await server.close();
      await turns[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

it('gets its answer from a server that restarts, and receives each message once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-client-'));
  const url = join(folder, 'store.sqlite');
  try {
    const first = await serveAt(url, 0, [
      reply.tool('look', { at: 1 }),
      reply.delay(60_000, submit({ n: 1 })),
    ]);
    const { token } = await issueToken(first.store, { name: 'test' });
    const client = createClient({ baseURL: first.url, token });
    const ran: unknown[] = [];
    const look = tool({
      inputSchema: z.object({ at: z.number() }),
      execute: (input) => ran.push(input),
    });
    const events: ChatStreamEvent[] = [];
    const results = (): number =>
      events.filter((event) => event.type === 'message' && event.message.role === 'tool').length;
    const asking = client
      .chat({ tools: { look } })
      .ask({ prompt: 'Count', output: count, onEvent: (event) => events.push(event) });
    await expect.poll(results, { timeout: 20_000 }).toBe(1);
    await first.close();
    const second = await serveAt(url, Number(new URL(first.url).port), () => submit({ n: 2 }));
    expect(await asking).toMatchObject({ output: { n: 2 }, receipt: { status: 'succeeded' } });
    expect(ran).toEqual([{ at: 1 }]);
    const ids = events.flatMap((event) => (event.type === 'message' ? [event.message.id] : []));
    expect(ids).toEqual([...new Set(ids)]);
    await second.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('returns an exception of a tool to the model as an error', async () => {
  await using server = await clientServer([reply.tool('look', {}), submit({ n: 1 })]);
  const look = tool({
    inputSchema: z.object({}),
    execute: () => {
      throw new TypeError('The file is locked.');
    },
  });
  const chat = server.client.chat({ tools: { look } });
  await chat.ask({ prompt: 'Count', output: count });
  const { messages } = await chat.messages();
  const told = messages.flatMap(({ content }) => content).find((part) => part.type === 'tool_result');
  expect(told).toMatchObject({ is_error: true, result: { error: 'The file is locked.' } });
});

it('runs a call of a later step though its id and arguments are those of an earlier one', async () => {
  const server = await startServer();
  let runs = 0;
  const look = tool({ inputSchema: z.object({ at: z.number() }), execute: () => (runs += 1) });
  const client = createClient({ baseURL: server.url, token: server.token });
  const chat = client.chat({ tools: { look } });
  const asking = chat.ask({ prompt: 'Count', output: count });
  for (const expected of [1, 2]) {
    await expect.poll(() => chat.id, { timeout: 10_000 }).toBeDefined();
    const id = chat.id ?? '';
    await callClientTool(server.machine, id, 'call-1');
    await expect.poll(async () => (await chat.read()).status, { timeout: 10_000 }).toBe('running');
    expect(runs).toBe(expected);
  }
  await settleTurn(server.machine, chat.id ?? '', 'done', '{"n":2}');
  expect((await asking).output).toEqual({ n: 2 });
  await server.close();
});

it('stops every request by its signal, with its reason', async () => {
  const reason = new TypeError('enough');
  const signal = AbortSignal.abort(reason);
  const options = { signal };
  let sent = 0;
  const client = createClient({
    baseURL: 'http://127.0.0.1:9',
    token: 'x',
    // Like `fetch`, which sends nothing after the signal has fired.
    fetch: (_url, init) => {
      if (init?.signal?.aborted !== true) sent += 1;
      return Promise.reject(init?.signal?.reason ?? new RangeError('no signal'));
    },
  });
  const chat = client.chat({ id: 'a' });
  const requests: (() => Promise<unknown>)[] = [
    () => client.listChats(options),
    () => client.patchChat('a', { title: 'b' }, options),
    () => client.deleteChat('a', options),
    () => client.models(options),
    () => client.validateFormat({ type: 'text' }, options),
    () => chat.send({ content: 'x' }, options),
    () => chat.ask({ prompt: 'x', output: count, ...options }),
    () => chat.edit(1, { content: 'x' }, options),
    () => chat.read(options),
    () => chat.messages(options),
    () => chat.queue(options),
    () => chat.deleteQueued(1, options),
    () => chat.promoteQueued(1, options),
    () => chat.interrupt(options),
    () => chat.compact(options),
    () => chat.submitToolResults([], options),
    () => chat.request('r', options),
    () => chat.events(options).next(),
  ];
  for (const request of requests) await expect(request()).rejects.toBe(reason);
  expect(sent).toBe(0);
});
