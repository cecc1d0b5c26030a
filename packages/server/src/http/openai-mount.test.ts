/**
 * The OpenAI-compatible API within the server: tokens, limits and graceful shutdown, over real HTTP
 * with the official client.
 */
import OpenAI from 'openai';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { MODELS } from '@truecast/model/internal/test-models';
import type { ModelScript } from '@truecast/testing/internal/scripted-model/model-script';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { openStore } from '@truecast/store/internal/open-store';
import { createChatMachine } from '../state/chat-machine.ts';
import { compatibleModel } from '../models/resolve-model.ts';
import type { ListenHttpOptions } from './app/listen-http.ts';
import { startServer, type TestServer } from './test-server.ts';

const ask = { model: 'test', messages: [{ role: 'user' as const, content: 'Hi' }] };

async function withWire(
  script: ModelScript,
  work: (server: TestServer, client: OpenAI) => Promise<void>,
  options: Partial<ListenHttpOptions> = {},
): Promise<void> {
  await using upstream = await scriptedModelServer({ script });
  const model = { id: 'test', ...compatibleModel(MODELS['openai compatible']!(upstream)) };
  const openAI = { models: { find: () => Promise.resolve(model), list: () => ['test'] } };
  const server = await startServer({ openAI, ...options });
  try {
    await work(server, new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.token, maxRetries: 0 }));
    expect(server.faults).toEqual([]);
  } finally {
    await server.close();
  }
}

describe('the OpenAI wire of a server', () => {
  it('answers only requests with a token', async () => {
    await withWire([reply.text('Hi.')], async (server, client) => {
      const { choices } = await client.chat.completions.create(ask);
      expect(choices[0]?.message.content).toBe('Hi.');
      const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-none' });
      const failure = { status: 401, code: 'invalid_api_key', type: 'authentication_error' };
      await expect(stranger.chat.completions.create(ask)).rejects.toMatchObject(failure);
      await expect(stranger.models.list()).rejects.toMatchObject(failure);
    });
  });

  it('charges calls to the owner, and refuses them once a quota is spent', async () => {
    const store = await openStore({ url: ':memory:' });
    const machine = createChatMachine({ store, quotas: { perOwner: { tokens: 10, turns: 2 } } });
    const spent = { status: 429, code: 'insufficient_quota', type: 'rate_limit_error' };
    await withWire(
      [reply.text('Hi.', { usage: { inputTokens: 9, outputTokens: 2 } })],
      async (server, client) => {
        await client.chat.completions.create(ask);
        const error: unknown = await client.chat.completions.create(ask).catch((reason: unknown) => reason);
        expect(error).toMatchObject(spent);
        expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('x-should-retry')).toBe('false');
        expect((await client.models.list()).data).toHaveLength(1);
        const refused = await server.ask('POST', '/api/chats', { body: { content: 'x' } });
        expect(refused.json).toMatchObject({ status: 402, code: 'quota_exceeded' });
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      },
      { store, machine },
    );
  });

  it('ends an answer before the call that its owner has no budget for', async () => {
    const store = await openStore({ url: ':memory:' });
    const machine = createChatMachine({ store, quotas: { perOwner: { tokens: 10 } } });
    const usage = { inputTokens: 9, outputTokens: 2 };
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'count', schema } };
    const wrong = { ...reply.toolText(FINALIZER_NAME, '{"output":{"n":"one"}}'), usage };
    let calls = 0;
    await withWire(
      () => {
        calls += 1;
        return wrong;
      },
      async (_server, client) => {
        await expect(client.chat.completions.create({ ...ask, response_format })).rejects.toMatchObject({
          status: 429,
          code: 'insufficient_quota',
          error: { usage: { input_tokens: 9, output_tokens: 2 } },
        });
        expect(calls).toBe(1);
      },
      { store, machine },
    );
  });

  it('limits the concurrent answers of a token, including open streams', async () => {
    await withWire(
      // Later than the first-byte timeout, so that the stream is open for a while.
      [reply.delay(2_600, reply.text('one two three', { chunkChars: 4 }))],
      async (_server, client) => {
        const stream = await client.chat.completions.create({ ...ask, stream: true });
        await expect(client.models.list()).rejects.toMatchObject({ status: 429 });
        for await (const chunk of stream) expect(chunk.object).toBe('chat.completion.chunk');
        await expect(client.models.list()).resolves.toMatchObject({ data: [{ id: 'test' }] });
      },
      { limits: { concurrentRequests: 1 } },
    );
  });

  it('finishes running requests when the server closes, and reports slow ones', async () => {
    await withWire([reply.delay(500, reply.text('Hi.'))], async (server, client) => {
      const asked = client.chat.completions.create(ask);
      await sleep(200);
      const closed = server.close();
      expect((await asked).choices[0]?.message.content).toBe('Hi.');
      await closed;
    });
    await withWire(
      [reply.delay(60_000, reply.text('late'))],
      async (server, client) => {
        const asked = client.chat.completions.create(ask).catch((error: unknown) => error);
        await sleep(200);
        await server.close();
        expect(await asked).toMatchObject({ status: 503, code: 'interrupted' });
      },
      { graceMs: 2_000 },
    );
  });

  it('does not exist if it is not configured', async () => {
    const server = await startServer();
    expect((await server.ask('GET', '/v1/models')).status).toBe(404);
    await server.close();
  });
});
