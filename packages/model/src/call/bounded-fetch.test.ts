/** Model services that send too much, or redirect, over HTTP: what is read, and what is told. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { matrixColumns, matrixRuns } from '../../../../test/matrix.ts';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { askForText } from './ask-for-text.ts';
import type { GenerateModel } from './generate-options.ts';
import { MAX_REPLY_BYTES, smallFetch } from './model-fetch.ts';

const MIB = 1024 * 1024;
/** Bytes that both ends of a connection and their streams can hold unread. */
const IN_FLIGHT = 24 * MIB;
/** Bound of the providers: in the short form, `openAICompatible()` alone reads as much as a reply can have. */
const PROVIDER_BYTES = matrixRuns(8 * MIB, MAX_REPLY_BYTES);
const providerFetch = smallFetch(PROVIDER_BYTES);
const output = Output.object({ schema: z.object({ moons: z.number() }) });

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    void request.toArray().then((pieces: Buffer[]) => {
      answer(response, request, Buffer.concat(pieces).toString());
    });
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const MODELS: Readonly<Record<string, (url: string) => GenerateModel>> = {
  'openai compatible': (url) => openAICompatible({ baseURL: url, model: 'm' }),
  anthropic: (baseURL) =>
    createAnthropic({ baseURL, apiKey: 'k', fetch: providerFetch })('claude-sonnet-4-5'),
  openai: (baseURL) => createOpenAI({ baseURL, apiKey: 'k', fetch: providerFetch }).responses('gpt-5'),
  google: (baseURL) => createGoogle({ baseURL, apiKey: 'k', fetch: providerFetch })('gemini-2.5-flash'),
};

/** Counts what it writes, without an end, for as long as the other side reads. */
function pour(
  response: ServerResponse,
  count: (bytes: number) => void,
  chunk: Buffer,
  bytes: number = chunk.length,
): void {
  const write = (): void => {
    if (response.closed || response.destroyed) return;
    count(bytes);
    if (response.write(chunk)) setImmediate(write);
    else response.once('drain', write);
  };
  write();
}

/** Each provider reads by itself what its format allows. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  'JSON without an end': ['openai compatible', 'anthropic'],
  'compressed JSON without an end': ['openai compatible', 'google'],
  'events without an end': ['openai', 'openai compatible'],
  'one event without an end': ['openai compatible', 'anthropic'],
};

/** Hexadecimal digits: gzip halves them, so that fewer bytes are sent than are read. */
const DIGITS = Buffer.from(randomBytes(MIB / 2).toString('hex'));
/** A member of a compressed body, which can have many. */
const COMPRESSED = gzipSync(DIGITS, { level: 1 });
const LINE = Buffer.from(
  `data: {"id":"x","choices":[{"index":0,"delta":{"content":"${'y'.repeat(100_000)}"}}]}\n\n`,
);

const ENDLESS: Readonly<Record<string, (response: ServerResponse, count: (bytes: number) => void) => void>> =
  {
    'JSON without an end': (response, count) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      pour(response, count, DIGITS);
    },
    'compressed JSON without an end': (response, count) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      pour(response, count, COMPRESSED, DIGITS.length);
    },
    'events without an end': (response, count) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pour(response, count, LINE);
    },
    'one event without an end': (response, count) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: ');
      pour(response, count, DIGITS);
    },
  };

it.each(
  // Four kinds and four readers: the short form tries each kind and each reader.
  Object.entries(ENDLESS).flatMap(([kind, send], row) =>
    matrixColumns(row, READERS[kind] ?? [], { rows: 4, stride: 2 }).map((name) => ({ kind, send, name })),
  ),
)('reads a bounded part of $kind, by $name', { timeout: 240_000 }, async ({ send, name }) => {
  let written = 0;
  let requests = 0;
  const closed = Promise.withResolvers<void>();
  const url = await serve((response) => {
    requests += 1;
    response.once('close', closed.resolve);
    send(response, (bytes) => (written += bytes));
  });
  const model = MODELS[name]?.(url);
  if (model === undefined) throw new TypeError(name);
  const failure = await generate({ model, prompt: 'x', output, onPartial: () => undefined }).catch(
    (error: unknown) => error,
  );
  await closed.promise;
  expect(failure).toMatchObject({ name: 'ModelError', code: 'too-large' });
  expect(failure).not.toHaveProperty('receivedText');
  expect(requests).toBe(1);
  const most = name === 'openai compatible' ? MAX_REPLY_BYTES : PROVIDER_BYTES;
  expect(written).toBeLessThan(most + IN_FLIGHT);
});

it('refuses a whole reply that is small compressed, also as a text', async () => {
  const bomb = gzipSync(Buffer.alloc(MAX_REPLY_BYTES + MIB, ' '));
  expect(bomb.length).toBeLessThan(MIB);
  const url = await serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
  });
  const model = openAICompatible({ baseURL: url, model: 'm' });
  await expect(generate({ model, prompt: 'x', output })).rejects.toMatchObject({ code: 'too-large' });
  await expect(askForText({ model, prompt: 'x' })).rejects.toMatchObject({ code: 'too-large' });
});

it('ends the connection of a stream that a provider cannot read', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await serve((response) => {
    response.once('close', closed.resolve);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    pour(response, () => undefined, LINE);
  });
  const model = MODELS['anthropic']?.(url);
  if (model === undefined) throw new TypeError('no model');
  await expect(generate({ model, prompt: 'x', output, maxCorrections: 0 })).rejects.toMatchObject({
    name: 'ModelError',
  });
  await closed.promise;
});

it('tells the status of a refusal without an end, and reads a part of it', async () => {
  let written = 0;
  const url = await serve((response) => {
    response.writeHead(403, { 'content-type': 'text/plain' });
    pour(response, (bytes) => (written += bytes), DIGITS);
  });
  const failing = generate({ model: openAICompatible({ baseURL: url, model: 'm' }), prompt: 'x', output });
  await expect(failing).rejects.toMatchObject({ code: 'http', statusCode: 403 });
  expect(written).toBeLessThan(IN_FLIGHT);
});

it.each([600, 999])(
  'tells a status %i that HTTP does not have as a failure of the service',
  async (status) => {
    const url = await serve((response) => response.writeHead(status, 'Grün', { 'x-a': 'ü' }).end('{}'));
    for (const way of [{}, { onPartial: () => undefined }]) {
      const model = openAICompatible({ baseURL: url, model: 'm' });
      const failing = generate({ model, prompt: 'x', output, ...way });
      await expect(failing).rejects.toMatchObject({ name: 'ModelError', code: 'http', statusCode: 502 });
    }
  },
);

it('ends a stream that only sends pings', async () => {
  const timers: NodeJS.Timeout[] = [];
  const url = await serve((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    timers.push(setInterval(() => response.write(': ping\n\n'), 5));
  });
  const model = openAICompatible({ baseURL: url, model: 'm' });
  const failing = generate({ model, prompt: 'x', output, timeouts: { idleMs: 150 } });
  await expect(failing).rejects.toMatchObject({ code: 'timeout' });
  for (const timer of timers) clearInterval(timer);
});

it('counts the pieces of a provider with its own fetch', async () => {
  const url = await serve((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    pour(response, () => undefined, LINE);
  });
  const model = createOpenAI({ baseURL: url, apiKey: 'k' }).chat('m');
  const failing = generate({ model, prompt: 'x', output, onPartial: () => undefined });
  await expect(failing).rejects.toMatchObject({ code: 'too-large' });
});

const CHAT = JSON.stringify({
  id: 'x',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: '{"moons":2}' }, finish_reason: 'stop' }],
});

it.each([301, 302, 303, 307, 308])(
  'sends neither key nor prompt after a redirect with %i elsewhere',
  async (status) => {
    let reached = 0;
    const elsewhere = await serve((response) => {
      reached += 1;
      response.setHeader('content-type', 'application/json').end(CHAT);
    });
    const url = await serve((response) => {
      response.writeHead(status, { location: `${elsewhere}/steal?q=secret-in-query` }).end();
    });
    const model = openAICompatible({ baseURL: url, model: 'm', headers: { 'x-api-key': 'k' } });
    const failure: unknown = await generate({ model, prompt: 'x', output }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'ModelError',
      code: 'redirect',
      statusCode: status,
      message: expect.stringContaining(`at ${url} to answer, got a redirect (${status}) to ${elsewhere}.`),
    });
    expect(String(failure)).not.toContain('secret-in-query');
    expect(reached).toBe(0);
  },
);

it('opens no file that a redirect names', async () => {
  const url = await serve((response) => response.writeHead(307, { location: 'file:///etc/passwd' }).end());
  const failing = generate({ model: openAICompatible({ baseURL: url, model: 'm' }), prompt: 'x', output });
  await expect(failing).rejects.toMatchObject({
    code: 'redirect',
    message: expect.stringContaining(' to file:.'),
  });
});

it('follows a redirect within the origin, with the same request, at most 5 times', async () => {
  const seen: string[] = [];
  const url = await serve((response, { url: path = '', method }, body) => {
    seen.push(`${method} ${path} ${body.includes('"model":"m"')}`);
    if (path.startsWith('/loop')) response.writeHead(308, { location: path }).end();
    else if (path.startsWith('/v1')) response.writeHead(307, { location: '/v2/chat' }).end();
    else response.setHeader('content-type', 'application/json').end(CHAT);
  });
  const ask = (path: string): ReturnType<typeof generate<typeof output>> =>
    generate({ model: openAICompatible({ baseURL: `${url}${path}`, model: 'm' }), prompt: 'x', output });
  expect((await ask('/v1')).output).toEqual({ moons: 2 });
  expect(seen).toEqual(['POST /v1/chat/completions true', 'POST /v2/chat true']);
  seen.splice(0);
  await expect(ask('/loop')).rejects.toMatchObject({
    code: 'redirect',
    message: expect.stringContaining('one redirect after another (308)'),
  });
  expect(seen).toHaveLength(6);
});
