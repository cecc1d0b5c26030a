/** Services that answer with the key that they got: no error contains it. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { createAnthropic } from '@ai-sdk/anthropic';
import { APICallError } from 'ai';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { askForText } from './ask-for-text.ts';
import type { GenerateModel } from './generate-options.ts';
import { boundedFetch } from './model-fetch.ts';
import { createHeaderMask } from './model-mask.ts';

/** No shape of a known token: only its use shows that it is a key. */
const KEY = 'planted/key+value=0123456789';
const OTHER = 'second-planted-value-9876543210';
const output = Output.object({ schema: z.object({ moons: z.number() }) });

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** Ends the connection in the middle of the reply. */
  readonly isBroken?: boolean;
}

async function serve(reply: (key: string) => Reply): Promise<string> {
  const server = createServer(({ headers }, response) => {
    const { status, type, body, isBroken } = reply(keyIn(headers));
    response.writeHead(status, { 'content-type': type, 'x-seen': keyIn(headers), 'retry-after': '0' });
    if (isBroken === true) response.write(body, () => response.destroy());
    else response.end(body);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

function keyIn({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string {
  return [authorization, key].filter((value) => value !== undefined).join(' and ');
}

const json = (status: number, value: object): Reply => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
});
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** The key begins before the place where messages are cut. */
const far = (key: string): string => `${'x'.repeat(60)} ${key} ${'y'.repeat(300)}`;

const REPLIES: Readonly<Record<string, (key: string) => Reply>> = {
  'a refusal': (key) => json(400, { error: { message: `bad key ${key}` } }),
  'a failure': (key) => json(500, { error: { message: `bad key ${key}` } }),
  'a long refusal': (key) => json(400, { error: { message: far(key) } }),
  'a refusal as text': (key) => ({ status: 401, type: 'text/plain', body: far(key) }),
  'a web page': (key) => ({ status: 200, type: 'text/html', body: `<html>${far(key)}</html>` }),
  'an error with status 200': (key) => json(200, { error: { message: far(key) } }),
  'an error in a stream': (key) => ({
    status: 200,
    type: 'text/event-stream',
    body: `data: ${JSON.stringify({ error: { message: far(key) } })}\n\n`,
  }),
  'a stream that breaks off': (key) => ({
    status: 200,
    type: 'text/event-stream',
    body: chunk(`{"moons": "${key}`),
    isBroken: true,
  }),
  'an answer of another shape': (key) => ({
    status: 200,
    type: 'text/event-stream',
    body: `${chunk(`{"moons":"${key}"}`)}data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
  }),
};

const MODELS: Readonly<Record<string, (url: string) => GenerateModel>> = {
  'openAICompatible()': (baseURL) =>
    openAICompatible({ baseURL, model: 'm', apiKey: KEY, headers: { 'x-api-key': OTHER } }),
  'a provider with boundedFetch': (baseURL) =>
    createAnthropic({ baseURL, apiKey: KEY, headers: { authorization: OTHER }, fetch: boundedFetch })(
      'claude-sonnet-4-5',
    ),
};

/** Everything that a person or a program can see of an error. */
function seen(error: unknown): string {
  return [inspect(error, { depth: 20, showHidden: true, maxStringLength: null }), JSON.stringify(error)].join(
    '\n',
  );
}

async function failureOf(asking: Promise<unknown>): Promise<unknown> {
  return asking.then(
    () => expect.unreachable('the call must fail'),
    (error: unknown) => error,
  );
}

it.each(Object.keys(REPLIES))('%s shows no part of the keys, by openAICompatible()', async (name) => {
  const url = await serve(REPLIES[name]!);
  const model = MODELS['openAICompatible()']!(url);
  const calls = [
    () => generate({ model, prompt: 'x', output, maxCorrections: 0 }),
    () => generate({ model, prompt: 'x', output, maxCorrections: 0, onPartial: () => undefined }),
    () =>
      name.startsWith('an answer')
        ? Promise.reject(new Error('no failure'))
        : askForText({ model, prompt: 'x' }),
  ];
  for (const call of calls) {
    const shown = seen(await failureOf(call()));
    for (const part of ['planted', 'key+value', '9876543210', '0123456789']) {
      expect(shown).not.toContain(part);
    }
  }
});

it.each(['a refusal', 'a failure', 'a long refusal'])(
  '%s shows no part of the keys, by a provider with boundedFetch',
  async (name) => {
    const model = MODELS['a provider with boundedFetch']!(await serve(REPLIES[name]!));
    const failure = await failureOf(generate({ model, prompt: 'x', output, maxCorrections: 0 }));
    const shown = seen(failure);
    for (const part of ['planted', 'key+value', '9876543210']) expect(shown).not.toContain(part);
    expect(APICallError.isInstance((failure as Error).cause)).toBe(true);
  },
);

it('masks a key of the environment that a provider with its own fetch used', async () => {
  vi.stubEnv('ANTHROPIC_API_KEY', KEY);
  const url = await serve(REPLIES['a long refusal']!);
  const model = createAnthropic({ baseURL: url })('claude-sonnet-4-5');
  const failure = await failureOf(generate({ model, prompt: 'x', output, maxCorrections: 0 }));
  expect(seen(failure)).not.toContain('planted');
  expect(failure).toMatchObject({ code: 'http', statusCode: 400, message: expect.stringContaining('***') });
});

it('keeps an answer as the model gave it', async () => {
  const url = await serve(REPLIES['an answer of another shape']!);
  const asText = Output.object({ schema: z.object({ moons: z.string() }) });
  const { output: answer } = await generate({
    model: MODELS['openAICompatible()']!(url),
    prompt: 'x',
    output: asText,
  });
  expect(answer.moons).toContain(KEY);
});

it('keeps the masks of the latest calls, until the process has another key', () => {
  const headers = { authorization: `Bearer ${KEY}` };
  const first = createHeaderMask(headers);
  expect(createHeaderMask(headers)).toBe(first);
  vi.stubEnv('LATER_API_KEY', 'a-key-that-came-later');
  expect(createHeaderMask(headers).mask('a-key-that-came-later')).toBe('*'.repeat(21));
  vi.unstubAllEnvs();
  expect(createHeaderMask(headers)).toBe(first);
  for (let call = 0; call < 8; call += 1) createHeaderMask({ authorization: `Bearer other-key-${call}` });
  expect(createHeaderMask(headers)).not.toBe(first);
});
