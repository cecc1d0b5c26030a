/** Failures of `generate()` named by their cause, by counted requests of a service on this machine. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import type { GenerateResult } from '../generate-promise.ts';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import type { GenerateOptions } from '../call/generate-options.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
type Definition = typeof output;

const servers: Server[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => listener(request, response));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

type Answer = readonly [status: number, body: object];

/** Answers requests in order, the last answer for all others. */
async function service(...answers: readonly Answer[]): Promise<{ readonly url: string; requests(): number }> {
  let count = 0;
  const url = await serve((request, response) => {
    const isList = request.url?.endsWith('/models') === true;
    const answer = isList ? LIST : answers[Math.min(count, answers.length - 1)];
    if (!isList) count += 1;
    const [status, body] = answer ?? LIST;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return { url, requests: () => count };
}

const LIST: Answer = [200, { data: [{ id: 'qwen3:8b' }, { id: '/home/anna/weights/tiny.gguf' }] }];
const LOADING: Answer = [503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }];
const RIGHT: Answer = [
  200,
  {
    id: '1',
    model: '/home/anna/weights/tiny.gguf',
    choices: [{ index: 0, message: { role: 'assistant', content: '{"moons":2}' }, finish_reason: 'stop' }],
  },
];

function ask(
  baseURL: string,
  options: Partial<GenerateOptions<Definition>> = {},
): Promise<GenerateResult<{ moons: number }>> {
  const model = openAICompatible({ baseURL, model: 'qwen3:8c', apiKey: 'sk-planted-0123456789' });
  return generate({ model, prompt: 'x', output, maxCorrections: 0, ...options });
}

it('waits for a server that is loading its model, reports it once, and charges one call', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const { url, requests } = await service(LOADING, LOADING, LOADING, RIGHT);
  const codes: string[] = [];
  const { output: value } = await ask(url, { onCall: ({ code }) => void codes.push(code) });
  expect([value, requests(), codes]).toEqual([{ moons: 2 }, 4, ['ok']]);
  expect(warned.mock.calls.map(([text]) => String(text))).toEqual([
    expect.stringMatching(/^The model's service is loading its model\..*120 s/u),
  ]);
});

it('ends the wait at `timeouts.loadingMs`', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const { url, requests } = await service(LOADING);
  await expect(ask(url, { timeouts: { loadingMs: 300 } })).rejects.toMatchObject({
    code: 'timeout',
    statusCode: 503,
    message: expect.stringMatching(/still loading its model after 0\.3 s\. Raise `timeouts\.loadingMs`/u),
  });
  expect(requests()).toBeGreaterThan(1);
});

it('does not wait with `loadingMs: 0`', async () => {
  const { url, requests } = await service(LOADING);
  await expect(ask(url, { timeouts: { loadingMs: 0 } })).rejects.toMatchObject({
    code: 'http',
    message: expect.stringMatching(/is loading its model \(status 503\): Loading model\./u),
  });
  expect(requests()).toBe(1);
});

it('shows the asked name for a model whose server reports the path of its weights', async () => {
  const { url } = await service(RIGHT);
  const models: string[] = [];
  const { provenance } = await ask(url, { onCall: ({ model }) => void models.push(model) });
  expect([provenance.model, ...models]).toEqual(['qwen3:8c', 'qwen3:8c']);
});

it('names an unknown model, and the known ones without their folders', async () => {
  const { url } = await service([404, { error: { message: "model 'qwen3:8c' not found" } }]);
  await expect(ask(url)).rejects.toMatchObject({
    code: 'http',
    statusCode: 404,
    message:
      "The model's service does not have the model `qwen3:8c` (status 404): model 'qwen3:8c' not found. It has `qwen3:8b`, `tiny.gguf`. Did you mean `qwen3:8b`?",
  });
});

it('has a code for a full context window, without a second request', async () => {
  const message = 'the request exceeds the available context size, try increasing it';
  const { url, requests } = await service([400, { error: { message, type: 'exceed_context_size_error' } }]);
  await expect(ask(url)).rejects.toMatchObject({
    code: 'context-full',
    statusCode: 400,
    message: `The request does not fit the model's context window (status 400): ${message}. Shorten the prompt, lower \`maxOutputTokens\`, or use a model or a server with a larger window.`,
  });
  expect(requests()).toBe(1);
});

// A failure without a known reason is tried by one further step of the ladder.
it.each([
  [[401, { error: { message: 'No.' } }], 'http', /refused the key \(status 401\): No\. Check `apiKey`/u, 1],
  [[403, { error: { message: 'No.' } }], 'http', /refused access \(status 403\): No\./u, 1],
  [[402, { error: { message: 'No.' } }], 'rate-limit', /has no quota left \(status 402\)/u, 1],
  [
    [429, { error: { message: 'No.' } }],
    'rate-limit',
    /limits the rate.*raise the limit\. Tried 3 times\.$/u,
    3,
  ],
  [
    [500, { error: { message: 'CUDA' } }],
    'http',
    /service failed \(status 500\): CUDA.*Tried 3 times\.$/u,
    6,
  ],
  [[413, { error: { message: 'No.' } }], 'http', /refused the request as too large \(status 413\)/u, 1],
  [
    [404, { detail: 'Not Found' }],
    'http',
    /not one of a model's service.*`baseURL`: it usually ends with `\/v1`/u,
    1,
  ],
  [[422, { error: { message: 'Odd.' } }], 'http', /refused the request \(status 422\): Odd\./u, 2],
] satisfies readonly (readonly [Answer, string, RegExp, number])[])(
  'names the cause of %j',
  async (answer, code, says, count) => {
    const { url, requests } = await service(answer);
    await expect(ask(url)).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
    expect(requests()).toBe(count);
  },
);

it('names a server that ended during a request', async () => {
  const url = await serve((request) => {
    request.socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });
  await expect(ask(url)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(
      /^The server at http:\/\/127\.0\.0\.1:\d+ ended during a request: it closed the connection, and now nothing listens there \(ECONNREFUSED\)\..*Tried 3 times\.$/u,
    ),
  });
});
