import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { probeContext } from './probe-context.ts';

type Answers = Readonly<Record<string, unknown>>;

/** A server with these JSON answers by path. Other paths are 404. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly baseURL: string } & AsyncDisposable> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // a listening TCP server has one
  return {
    baseURL: `http://127.0.0.1:${address.port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answers(byPath: Answers): (request: IncomingMessage, response: ServerResponse) => void {
  return ({ url = '' }, response) => {
    if (!Object.hasOwn(byPath, url)) response.writeHead(404).end('404 page not found');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(byPath[url]));
  };
}

const OLLAMA = { '/v1/models': { object: 'list', data: [{ id: 'm', object: 'model' }] } };

it.each([
  ['vLLM', { '/v1/models': { data: [{ id: 'm', max_model_len: 40_960 }] } }, 40_960],
  [
    'LM Studio',
    {
      '/v1/models': { data: [{ id: 'm' }] },
      '/api/v0/models': { data: [{ id: 'm', max_context_length: 131_072, loaded_context_length: 8_192 }] },
    },
    8_192,
  ],
  ['llama.cpp', { '/props': { default_generation_settings: { n_ctx: 16_384 } } }, 16_384],
  [
    'Ollama with a loaded model',
    { ...OLLAMA, '/api/ps': { models: [{ name: 'm', context_length: 24_576 }] } },
    24_576,
  ],
  [
    'Ollama with num_ctx',
    { ...OLLAMA, '/api/show': { parameters: 'stop "<a>"\nnum_ctx                        12288' } },
    12_288,
  ],
  ["Ollama's default", { ...OLLAMA, '/api/show': { model_info: { 'qwen3.context_length': 40_960 } } }, 4_096],
  ['an unknown server', { '/v1/models': { data: [{ id: 'm' }] } }, undefined],
  ['another model', { '/v1/models': { data: [{ id: 'other', max_model_len: 4_096 }] } }, undefined],
  ['a wrong value', { '/v1/models': { data: [{ id: 'm', max_model_len: -1 }] } }, undefined],
])('reads the context of %s', async (_, byPath: Answers, expected) => {
  await using server = await serve(answers(byPath));
  expect(await probeContext({ ...server, name: 'm' })).toBe(expected);
});

it('sends the key to the server and to no other', async () => {
  const keys: unknown[] = [];
  await using other = await serve(({ headers }, response) => {
    keys.push(headers.authorization);
    response.end('{}');
  });
  const asked: unknown[] = [];
  await using server = await serve(({ headers }, response) => {
    asked.push(headers.authorization);
    response.writeHead(307, { location: other.baseURL }).end();
  });
  expect(await probeContext({ ...server, apiKey: 'k', name: 'm' })).toBeUndefined();
  expect(new Set(asked)).toEqual(new Set(['Bearer k']));
  expect(keys).toEqual([]);
});

it('gives up on a server that never answers, never ends or is down', async () => {
  await using silent = await serve(() => {});
  await using endless = await serve((_, response) => {
    const pump = (): void => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', pump);
    pump();
  });
  const down = { baseURL: 'http://127.0.0.1:9/v1', name: 'm' };
  const probed = [{ ...silent, name: 'm' }, { ...endless, name: 'm' }, down].map(probeContext);
  expect(await Promise.all(probed)).toEqual([undefined, undefined, undefined]);
});
