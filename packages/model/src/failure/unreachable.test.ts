/** Addresses without a model service: each failure names its cause, and no retry is useless. */
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { once } from 'node:events';
import { createAnthropic } from '@ai-sdk/anthropic';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { askForText } from '../call/ask-for-text.ts';
import type { GenerateModel } from '../call/generate-options.ts';
import { closedPort } from './test-closed-port.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const KEY = 'planted/key+value=0123456789';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server | HttpServer): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const PLACES: Readonly<
  Record<string, { open(): Promise<string>; code: string; says: RegExp; requests?: number }>
> = {
  'no server': {
    open: async () => `http://127.0.0.1:${await closedPort()}/planted/v1`,
    code: 'unreachable',
    says: /^No server answers at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Start it, or correct `baseURL`\. Tried 3 times\.$/u,
    requests: 3,
  },
  'an unknown host': {
    open: () => Promise.resolve('http://no-such-host.invalid/v1'),
    code: 'unreachable',
    says: /^The host of http:\/\/no-such-host\.invalid cannot be found \((?:ENOTFOUND|EAI_AGAIN)\)\. Correct `baseURL`/u,
  },
  'http behind https': {
    open: async () => `https://${await listen(createServer((_request, response) => response.end()))}/v1`,
    code: 'unreachable',
    says: /^No secure connection to https:\/\/127\.0\.0\.1:\d+ is possible \(ERR_SSL_\w+\)\. Check the certificate/u,
    requests: 1,
  },
  'a port that no client may use': {
    open: () => Promise.resolve('http://127.0.0.1:1/v1'),
    code: 'unreachable',
    says: /^No request can be sent to http:\/\/127\.0\.0\.1:1 \(bad port\)/u,
    requests: 1,
  },
  'a server of another protocol': {
    open: async () =>
      `http://${await listen(
        createTcpServer((socket) => {
          socket.on('error', () => undefined).end('220 mail.example ESMTP\r\n\r\n');
        }),
      )}/v1`,
    code: 'unreachable',
    says: /^The server at http:\/\/127\.0\.0\.1:\d+ does not speak HTTP \(HTTPParserError\)/u,
    requests: 1,
  },
  'a server that closes each connection': {
    open: async () => `http://${await listen(createTcpServer((socket) => void socket.destroy()))}/v1`,
    code: 'stream',
    says: /^The server at http:\/\/127\.0\.0\.1:\d+ closed the connection before it answered \((?:UND_ERR_SOCKET|ECONNRESET)\)/u,
    requests: 3,
  },
};

const MODELS: Readonly<Record<string, (baseURL: string) => GenerateModel>> = {
  'openAICompatible()': (baseURL) => openAICompatible({ baseURL, model: 'm', apiKey: KEY }),
  'a provider with its own fetch': (baseURL) =>
    createAnthropic({ baseURL, apiKey: KEY })('claude-sonnet-4-5'),
};

const WAYS: Readonly<Record<string, (model: GenerateModel) => Promise<unknown>>> = {
  generate: (model) => generate({ model, prompt: 'x', output, maxCorrections: 0 }),
  'a streamed generate': (model) =>
    generate({ model, prompt: 'x', output, maxCorrections: 0, onPartial: () => undefined }),
  text: (model) => askForText({ model, prompt: 'x' }),
};

const CASES = Object.keys(PLACES).flatMap((place) =>
  Object.keys(MODELS).flatMap((model) => Object.keys(WAYS).map((way) => [place, model, way] as const)),
);

it.concurrent.each(CASES)('names %s, by %s, for %s', async (place, modelName, way) => {
  const { open, code, says } = PLACES[place]!;
  const failure: unknown = await WAYS[way]!(MODELS[modelName]!(await open())).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ name: 'ModelError', code, message: expect.stringMatching(says) });
  expect(String(failure)).not.toContain('planted');
});

const COUNTED = Object.keys(PLACES).filter((place) => PLACES[place]!.requests !== undefined);

it.each(COUNTED)('retries only if a retry can help: %s', async (place) => {
  const { open, requests } = PLACES[place]!;
  const { openings, fetch } = countingFetch();
  const model = createAnthropic({ baseURL: await open(), apiKey: KEY, fetch })('claude-sonnet-4-5');
  await expect(WAYS['text']!(model)).rejects.toMatchObject({ name: 'ModelError' });
  expect(openings()).toBe(requests);
});

function countingFetch(): { openings(): number; readonly fetch: typeof fetch } {
  let count = 0;
  return {
    openings: () => count,
    fetch: (input, init) => {
      count += 1;
      return fetch(input, init);
    },
  };
}

it.each(['localhost:11434', 'localhost:11434/v1', '127.0.0.1:11434', 'ftp://localhost/v1', 'file:///v1'])(
  'refuses the address %s before any request',
  (baseURL) => {
    expect(() => openAICompatible({ baseURL, model: 'm' })).toThrow(
      /^Expected `baseURL` to be an address such as http:\/\/localhost:11434\/v1/u,
    );
  },
);

it('refuses an address with a user, which no client sends, and does not repeat it', () => {
  const open = (): unknown =>
    openAICompatible({ baseURL: 'http://me:planted@localhost:8080/v1', model: 'm' });
  expect(open).toThrow(/^Expected `baseURL` without a user and a password, got both or one\. Pass/u);
  expect(open).not.toThrow(/planted/u);
});
