import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { InputPart } from '@truecast/client/internal/wire/message-parts';
import { createClient } from '@truecast/client/internal/create-client';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { Output } from '@truecast/core/internal/output/output';
import { tool } from '../tools/own-tool.ts';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { createChatServer, type ChatServer, type ChatServerOptions } from './create-chat-server.ts';

const COUNT = Output.object({ schema: z.object({ count: z.number() }) });
const TIMEOUT_MS = 60_000;

function on(model: { readonly openaiUrl: string }): ChatServerOptions {
  const environment = { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' };
  return { environment, port: 0, databaseUrl: ':memory:' };
}

it(
  'runs a tool of the program with its input in its own type, and tells the model what does not fit',
  { timeout: TIMEOUT_MS },
  async () => {
    const told: string[] = [];
    await using model = await scriptedModelServer({
      script: ({ turnIndex, lastToolResult }) => {
        if (lastToolResult !== undefined) told.push(lastToolResult.text);
        if (turnIndex === 0) return reply.tool('stock', { article: 7 });
        if (turnIndex === 1) return reply.tool('stock', { article: 'pear' });
        return reply.tool(FINALIZER_NAME, { output: { count: 4 } });
      },
    });
    const stock = tool({
      description: 'Counts.',
      inputSchema: z.object({ article: z.string() }),
      execute: ({ article }, { ownerId }) => ({ count: article.length, isOwned: ownerId !== '' }),
    });
    await using server = await createChatServer({ ...on(model), tools: { stock } });
    const { token } = await server.createToken({ name: 'test' });
    const chat = createClient({ baseURL: server.url, token }).chat();
    const { output: value } = await chat.ask({ prompt: 'How many pears?', output: COUNT });
    expect(value).toEqual({ count: 4 });
    expect(told[0]).toContain('The arguments of stock are invalid: `article`');
    expect(JSON.parse(told[1] ?? '')).toEqual({ count: 4, isOwned: true });
    expect(server.models).toEqual(['local:scripted']);
  },
);

it(
  'opens to nobody without a token, and shuts to one that was taken back',
  { timeout: TIMEOUT_MS },
  async () => {
    await using model = await scriptedModelServer({ script: [] });
    await using server = await createChatServer(on(model));
    const { id, token } = await server.createToken({ name: 'test', owner: 'anna' });
    const status = async (): Promise<number> =>
      (await fetch(`${server.url}/api/chats`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect((await fetch(`${server.url}/api/chats`)).status).toBe(401);
    expect(await status()).toBe(200);
    expect(await server.revokeToken(id)).toBe(true);
    expect(await server.revokeToken(id)).toBe(false);
    expect(await status()).toBe(401);
    expect(await server.listTokens()).toMatchObject([{ id, owner: 'anna', name: 'test' }]);
  },
);

it('takes bodies up to `limits.bodyBytes` on both APIs', { timeout: TIMEOUT_MS }, async () => {
  await using model = await scriptedModelServer({ script: () => reply.text('A pear.') });
  await using server = await createChatServer({ ...on(model), limits: { bodyBytes: 3_000_000 } });
  const { token } = await server.createToken({ name: 'test' });
  const post = (path: string, body: object): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const picture = (size: number): InputPart => ({
    type: 'file',
    media_type: 'image/png',
    data: Buffer.alloc(size, 7).toString('base64'),
  });
  const chat = createClient({ baseURL: server.url, token }).chat();
  await chat.send({ content: [{ type: 'text', text: 'What is it?' }, picture(2_000_000)] });
  const base64 = Buffer.alloc(2_000_000, 7).toString('base64');
  await expect
    .poll(() => JSON.stringify(model.turns[0]?.body ?? null).includes(base64), { timeout: 30_000 })
    .toBe(true);
  const refused = await post('/api/chats', { content: [picture(2_500_000)] });
  expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('3000000 bytes')]);
  const messages = [{ role: 'user', content: 'x'.repeat(3_000_000) }];
  const wire = await post('/v1/chat/completions', { model: 'local:scripted', messages });
  expect([wire.status, await wire.text()]).toEqual([413, expect.stringContaining('3000000 bytes')]);
});

it('closes once, however often it is called', { timeout: TIMEOUT_MS }, async () => {
  await using model = await scriptedModelServer({ script: [] });
  const server = await createChatServer(on(model));
  await Promise.all([server.close(), server.close(), server[Symbol.asyncDispose]()]);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});

it('gives running requests and turns `shutdownMs` at a stop', { timeout: TIMEOUT_MS }, async () => {
  await using model = await scriptedModelServer({
    script: async ({ userText, signal }) => {
      if (userText === 'Use it.') return reply.tool('hang', {});
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return reply.text('');
    },
  });
  const hang = tool({
    description: 'Never ends.',
    inputSchema: z.object({}),
    execute: () => new Promise<never>(() => undefined),
  });
  const open = async (settings: ChatServerOptions): Promise<ChatServer> => {
    const server = await createChatServer({ ...on(model), tools: { hang }, ...settings });
    const { token } = await server.createToken({ name: 'test' });
    await createClient({ baseURL: server.url, token }).chat().send({ content: 'Use it.' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const messages = [{ role: 'user', content: 'Hang.' }];
    const body = JSON.stringify({ model: 'local:scripted', messages });
    const answer = fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body });
    answer.catch(() => undefined);
    return server;
  };
  const servers = [await open({ shutdownMs: 600_000 }), await open({ shutdownMs: 1_000 })];
  await expect.poll(() => model.turns.length, { timeout: 30_000 }).toBe(4);
  const first = await Promise.race(servers.map((server, index) => server.close().then(() => index)));
  expect(first).toBe(1);
});

it.each([
  [{ port: 70_000 }, '`port`'],
  [{ host: '' }, '`host`'],
  [{ sandbx: true }, '`sandbx` is not a known option'],
  [{ limits: { maxSteps: 0 } }, 'limits.maxSteps'],
  [{ limits: { bodyBytes: 40_000_000 } }, 'limits.bodyBytes'],
  [{ shutdownMs: 3_600_001 }, 'shutdownMs'],
  [{ tools: { 'a b': { inputSchema: z.object({}), execute: (): null => null } } }, 'a b'],
  [{ tools: { [FINALIZER_NAME]: { inputSchema: z.object({}), execute: (): null => null } } }, FINALIZER_NAME],
  [{ environment: {}, models: ['anthropic:claude-sonnet-5-5'] }, 'ANTHROPIC_API_KEY'],
  [{ providerTools: ['web_fetch'] }, 'providerTools.0'],
  [{ environment: {}, providerTools: ['web_search'] }, 'the provider of `scripted:demo` has no such tool'],
])('refuses %o before it listens', async (options: object, named) => {
  const failure: unknown = await createChatServer({ port: 0, databaseUrl: ':memory:', ...options }).catch(
    (error: unknown) => error,
  );
  expect(UsageError.isInstance(failure) && failure.message).toContain(named);
});

it('reports what to do if its port is in use, and leaves nothing open', { timeout: TIMEOUT_MS }, async () => {
  await using model = await scriptedModelServer({ script: [] });
  await using first = await createChatServer(on(model));
  const port = Number(new URL(first.url).port);
  const folder = await mkdtemp(join(tmpdir(), 'truecast-create-chat-server-'));
  const databaseUrl = join(folder, 'store.sqlite');
  const options = { ...on(model), port, databaseUrl };
  await expect(createChatServer(options)).rejects.toThrow(/Port \d+ of 127\.0\.0\.1 is in use/u);
  // Closing the last connection deletes the files next to the database.
  expect((await readdir(folder)).toSorted()).toEqual(['.gitignore', 'store.sqlite']);
  await rm(folder, { recursive: true });
});

it(
  'enables web search where providers support it, stores results, and reports models without it',
  { timeout: TIMEOUT_MS },
  async () => {
    const log: string[] = [];
    const pages = [{ url: 'https://pears.test/', title: 'Pears' }];
    const search = reply.webSearch({ query: 'pears', pages });
    const answer = reply.tool(FINALIZER_NAME, { output: { count: 4 } });
    await using model = await scriptedModelServer({
      script: [reply.steps([search, reply.text('Four.')]), reply.steps([search, answer]), answer],
    });
    const { environment } = on(model);
    await using server = await createChatServer({
      ...on(model),
      models: ['anthropic:claude-sonnet-5-5', 'local:scripted', 'google:gemini-2.5-flash'],
      providerTools: ['web_search'],
      environment: {
        ...environment,
        ANTHROPIC_API_KEY: 'k',
        ANTHROPIC_BASE_URL: model.anthropicUrl,
        GOOGLE_GENERATIVE_AI_API_KEY: 'k',
      },
      onLog: (line) => log.push(line),
    });
    const warnings = log.map((line) => String(Object(JSON.parse(line)).msg));
    expect(warnings).toEqual([
      expect.stringContaining('`local:scripted`: `web_search` is not available'),
      expect.stringContaining('`google:gemini-2.5-flash`: `web_search` only in turns without other tools'),
    ]);
    const { token } = await server.createToken({ name: 'test' });
    const chat = createClient({ baseURL: server.url, token }).chat();
    const { output: value } = await chat.ask({ prompt: 'How many pears?', output: COUNT });
    expect(value).toEqual({ count: 4 });
    const parts = (await chat.messages()).messages.flatMap(({ content }) => content);
    const found = parts.filter((part) => part.type === 'tool_result' && part.provider_executed === true);
    expect(found).toHaveLength(2);
    expect(JSON.stringify(found)).toContain('pears.test');
  },
);

it(
  'calls a tool on its own object, tells a model that it takes an object, and is not ended by a log that throws',
  { timeout: TIMEOUT_MS },
  async () => {
    const offered: string[] = [];
    await using model = await scriptedModelServer({
      script: ({ turnIndex, tools }) => {
        offered.push(JSON.stringify(tools));
        return turnIndex === 0
          ? reply.tool('stock', {})
          : reply.tool(FINALIZER_NAME, { output: { count: 3 } });
      },
    });
    class Stock {
      readonly inputSchema = z.unknown();
      readonly pears = 3;
      calls = 0;
      execute(): { pears: number } {
        this.calls += 1;
        return { pears: this.pears };
      }
    }
    const stock = new Stock();
    const onLog = (line: string): never => {
      throw new TypeError(line);
    };
    const options = {
      ...on(model),
      tools: { stock },
      onLog,
      mcpServers: [{ name: 'gone', command: '/no/such' }],
    };
    await using server = await createChatServer(options);
    const { token } = await server.createToken({ name: 'test' });
    const { output: value } = await createClient({ baseURL: server.url, token })
      .chat()
      .ask({ prompt: 'Count', output: COUNT });
    expect([value.count, stock.calls]).toEqual([3, 1]);
    expect(offered[0]).toMatch(/"name":"stock".*"type":"object"/u);
  },
);
