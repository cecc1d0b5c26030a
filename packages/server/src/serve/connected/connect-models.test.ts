/** Models that are connected while a server runs, over real HTTP: results, refusals, limits and secrets. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { Output } from '@truecast/core/internal/output/output';
import { createClient, type Client } from '@truecast/client/internal/create-client';
import type { ConnectModelBody, ConnectionView } from '@truecast/client/internal/wire/model-connection';
import type { ModelView } from '@truecast/client/internal/wire/chat';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { openStore } from '@truecast/store/internal/open-store';
import { z } from 'zod';
import { describeOnBothStores } from '../../../../../test/describe-on-both-stores.ts';
import { matrixRow } from '../../../../../test/matrix.ts';
import { listAudit } from '../../owners/audit-list.ts';
import { createChatServer, type ChatServer, type ChatServerOptions } from '../create-chat-server.ts';

const KEY = 'key-of-the-page-1';
const COUNT = Output.object({ schema: z.object({ count: z.number() }) });
const FOUR = reply.tool(FINALIZER_NAME, { output: { count: 4 } });

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: ConnectionView & { readonly detail: string; readonly models: readonly ModelView[] };
}

interface Served {
  readonly server: ChatServer;
  readonly client: Client;
  readonly log: readonly string[];
  ask(method: string, path: string, body?: object): Promise<Answer>;
  connect(body: Partial<ConnectModelBody>): Promise<Answer>;
}

async function serve(options: ChatServerOptions = {}): Promise<Served> {
  const log: string[] = [];
  const server = await createChatServer({
    environment: {},
    port: 0,
    databaseUrl: ':memory:',
    onLog: (line) => log.push(line),
    ...options,
  });
  onTestFinished(() => server.close());
  const { token } = await server.createToken({ name: 'test', owner: 'anna', scopes: ['chats', 'admin'] });
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = parseJson(text);
    // Each test checks the answer itself.
    return { status: response.status, text, json: (parsed.success ? parsed.value : {}) as Answer['json'] };
  };
  return {
    server,
    log,
    ask,
    client: createClient({ baseURL: server.url, token }),
    connect: (body) =>
      ask('POST', '/api/models', { provider: 'openai-compatible', model: 'scripted', ...body }),
  };
}

async function scripted(
  options: Partial<Parameters<typeof scriptedModelServer>[0]> = {},
): Promise<ScriptedModelServer> {
  const model = await scriptedModelServer({ script: () => FOUR, key: KEY, ...options });
  onTestFinished(() => model[Symbol.asyncDispose]());
  return model;
}

/** A server that is no model's service. */
async function foreign(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return `http://127.0.0.1:${port}/v1`;
}

describeOnBothStores('connected models', ({ dialect, row, freshUrl }) => {
  const itInTurns = matrixRow(row, { rows: 2 });

  itInTurns('answer from the next question on, and their key is in no row, log line and answer', async () => {
    const model = await scripted({ localServer: 'llama.cpp', contextTokens: 4_096 });
    const databaseUrl = await freshUrl();
    const { connect, ask, client, log } = await serve({ databaseUrl });
    expect((await ask('GET', '/api/models')).json.models).toMatchObject([
      { id: 'scripted:demo', is_default: true },
    ]);
    const { status, json, text } = await connect({ address: model.openaiUrl, api_key: KEY });
    expect([status, json]).toEqual([
      200,
      {
        type: 'connected',
        model: {
          id: 'connected:local:scripted',
          is_default: true,
          provider: 'openai-compatible',
          is_scripted: false,
          mode: 'native',
          dialect: 'grammar',
          context_tokens: 4_096,
          is_connected: true,
        },
      },
    ]);
    const listed = await ask('GET', '/api/models');
    expect(listed.json.models.map(({ id }) => id)).toEqual(['scripted:demo', 'connected:local:scripted']);
    const { output } = await client.chat().ask({ prompt: 'How many?', output: COUNT });
    expect(output).toEqual({ count: 4 });
    const store = await openStore({ url: databaseUrl });
    onTestFinished(() => store.close());
    expect(await listAudit(store.db, { owner: 'anna', limit: 9 })).toMatchObject([
      {
        action: 'model_connected',
        subject: 'connected:local:scripted',
        actor: expect.stringMatching(/^token:/u),
      },
      { action: 'token_created' },
    ]);
    const tables = await store.db.introspection.getTables();
    const rows = await Promise.all(
      // Each table of the schema, whatever it is.
      tables.map(({ name, schema }) => {
        const db = schema === undefined ? store.db : store.db.withSchema(schema);
        return db
          .selectFrom(name as 'chats')
          .selectAll()
          .execute();
      }),
    );
    const everything = [JSON.stringify(rows), text, listed.text, ...log].join('\n');
    expect(everything).toContain('connected:local:scripted');
    expect(everything).not.toContain(KEY);
    if (dialect === 'sqlite') {
      const files = await Promise.all(
        [databaseUrl, `${databaseUrl}-wal`].map((path) => readFile(path, 'latin1')),
      );
      expect(files.join('')).not.toContain(KEY);
    }
    expect(JSON.stringify(process.env)).not.toContain(KEY);
  });

  itInTurns(
    'are refused by another process with a typed reason, and answer again after a new connection',
    async () => {
      const model = await scripted();
      const databaseUrl = await freshUrl();
      const first = await serve({ databaseUrl });
      const second = await serve({ databaseUrl });
      await first.connect({ address: model.openaiUrl, api_key: KEY });
      const chat = first.client.chat();
      await chat.ask({ prompt: 'How many?', output: COUNT });
      expect((await second.ask('GET', '/api/models')).json.models).toHaveLength(1);
      const place = `/api/chats/${chat.id}`;
      await second.ask('POST', `${place}/messages`, { content: 'And now?' });
      const read = async (): Promise<unknown> => parseOf((await second.ask('GET', place)).text);
      await expect.poll(read, { timeout: 20_000 }).toMatchObject({
        status: 'error',
        error: {
          kind: 'not_connected',
          message: expect.stringMatching(
            /`connected:local:scripted` is not connected to this process.*Connect it again/u,
          ),
          is_retryable: false,
        },
      });
      expect((await second.connect({ address: model.openaiUrl, api_key: KEY })).json.type).toBe('connected');
      const again = await second.client
        .chat({ id: chat.id ?? '' })
        .ask({ prompt: 'And now?', output: COUNT });
      expect(again.output).toEqual({ count: 4 });
    },
  );
});

function parseOf(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.success ? parsed.value : undefined;
}

it.each<[string, RequestListener, object]>([
  [
    'a web page',
    (_request, response) => response.setHeader('content-type', 'text/html').end('<p>'),
    { reason: 'path' },
  ],
  [
    'JSON of another service',
    (_request, response) => response.setHeader('content-type', 'application/json').end('{"ok":true}'),
    { reason: 'unreadable' },
  ],
  [
    'nothing at the path',
    (_request, response) => response.writeHead(404).end(),
    { reason: 'path', status_code: 404 },
  ],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    { reason: 'unusable' },
  ],
  [
    'a reply without an end',
    (_request, response) =>
      response.setHeader('content-type', 'application/json').end(`{"a":"${'x'.repeat(300_000)}"}`),
    { reason: 'unusable' },
  ],
  [
    'its own failure',
    (_request, response) => response.writeHead(500).end('{}'),
    { reason: 'service', status_code: 500 },
  ],
])('names a server that answers with %s', async (_name, listener, expected) => {
  const { connect, ask } = await serve();
  const { status, json } = await connect({ address: await foreign(listener) });
  expect([status, json]).toMatchObject([200, { type: 'refused', ...expected }]);
  expect((await ask('GET', '/api/models')).json.models).toHaveLength(1);
});

it('names a refused key, an unknown model and a port without a server, and connects nothing', async () => {
  const model = await scripted();
  const other = await scripted({
    script: () => reply.error(404, { code: 'model_not_found' }),
    models: ['qwen3', 'gemma'],
  });
  const { connect, ask, log } = await serve();
  const secret = 'another-key-of-the-page';
  const key = await connect({ address: model.openaiUrl, api_key: secret });
  expect(key.json).toMatchObject({ reason: 'key', status_code: 401, field: 'api_key' });
  const name = await connect({ model: 'qwen', address: other.openaiUrl, api_key: KEY });
  expect(name.json).toMatchObject({
    reason: 'unknown_model',
    field: 'model',
    message: expect.stringContaining('`qwen3`'),
  });
  const gone = await scripted();
  await gone[Symbol.asyncDispose]();
  const server = await connect({ address: gone.openaiUrl });
  expect(server.json).toMatchObject({ reason: 'no_server', field: 'address' });
  const host = await connect({ address: 'https://nowhere.invalid/v1' });
  expect(host.json).toMatchObject({ reason: 'no_host', field: 'address' });
  expect((await ask('GET', '/api/models')).json.models).toHaveLength(1);
  expect([key.text, ...log].join('')).not.toContain(secret);
});

it('asks for what a provider needs, and refuses an address that is not allowed', async () => {
  const { connect } = await serve();
  const told = async (body: Partial<ConnectModelBody>): Promise<[number, string]> => {
    const { status, json } = await connect(body);
    return [status, json.detail];
  };
  expect(await told({})).toEqual([400, expect.stringMatching(/^`address`: Is missing/u)]);
  expect(await told({ provider: 'openai' })).toEqual([400, expect.stringMatching(/^`api_key`: Is missing/u)]);
  expect(await told({ provider: 'openai', api_key: KEY, address: 'https://models.example' })).toEqual([
    400,
    expect.stringMatching(/^`address`: Is for `openai-compatible` alone/u),
  ]);
  // A shorter key could not be masked.
  expect(await told({ address: 'http://127.0.0.1:9999/v1', api_key: 'short' })).toEqual([
    400,
    expect.stringMatching(/`api_key`.*8/u),
  ]);
  expect(await told({ address: 'http://169.254.169.254/v1' })).toEqual([
    400,
    expect.stringMatching(/^`address`: .*connectedModels\.allow/u),
  ]);
});

it('are of a hosted provider too, with its key and the price of the file of models', async () => {
  const model = await scripted();
  const folder = await mkdtemp(join(tmpdir(), 'truecast-connected-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const modelsFile = join(folder, 'models.yaml');
  const prices = '{ input_usd_per_million: 3, output_usd_per_million: 15 }';
  const known = `profiles: { strong: { provider: anthropic, model: claude-x, api_key: of-the-file-1, prices: ${prices} } }`;
  await writeFile(modelsFile, known);
  const environment = { ANTHROPIC_BASE_URL: model.anthropicUrl };
  const { connect, client, ask } = await serve({ modelsFile, environment });
  const { json } = await connect({ provider: 'anthropic', model: 'claude-x', api_key: KEY });
  expect(json).toMatchObject({
    type: 'connected',
    model: {
      id: 'connected:anthropic:claude-x',
      // The file has a model.
      is_default: false,
      provider: 'anthropic',
      context_tokens: 200_000,
      prices: { input_usd_per_million: 3, output_usd_per_million: 15 },
    },
  });
  const chat = client.chat({ model: 'connected:anthropic:claude-x' });
  const { receipt } = await chat.ask({ prompt: 'How many?', output: COUNT });
  expect(receipt.usage?.cost_usd).toBeGreaterThan(0);
  expect(model.requests.every(({ headers }) => headers['x-api-key'] === KEY)).toBe(true);
  const unpriced = await connect({ provider: 'anthropic', model: 'claude-y', api_key: KEY });
  expect(unpriced.json).not.toHaveProperty('model.prices');
  expect((await ask('GET', '/api/models')).json.models).toHaveLength(3);
});

it('are disconnected, after which a chat names the reason', async () => {
  const model = await scripted();
  const { connect, client, ask } = await serve();
  await connect({ model: 'org/scripted', address: model.openaiUrl, api_key: KEY });
  const path = `/api/models/${encodeURIComponent('connected:local:org/scripted')}`;
  const chat = client.chat();
  await chat.ask({ prompt: 'How many?', output: COUNT });
  expect((await ask('DELETE', path)).status).toBe(204);
  expect((await ask('DELETE', path)).status).toBe(404);
  expect((await ask('GET', '/api/models')).json.models).toMatchObject([
    { id: 'scripted:demo', is_default: true },
  ]);
  await expect(chat.ask({ prompt: 'And now?', output: COUNT })).rejects.toThrow(
    /not connected to this process/u,
  );
  const calls = model.requests.length;
  const { json } = await connect({ model: 'org/scripted', address: model.openaiUrl, api_key: KEY });
  expect(json.type).toBe('connected');
  expect(model.requests.length).toBeGreaterThan(calls);
});

it('are called one at a time and ten times a minute for an owner, and sixteen at most', async () => {
  let isHeld = true;
  const held: (() => void)[] = [];
  const address = await foreign((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const answer = (): void => {
      const message = { role: 'assistant', content: 'yes' };
      const body = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    };
    if (isHeld) held.push(answer);
    else answer();
    return undefined;
  });
  const { connect, server } = await serve();
  const first = connect({ model: 'm0', address });
  await expect.poll(() => held.length).toBe(1);
  const busy = await connect({ model: 'm1', address });
  expect([busy.status, busy.json.detail]).toEqual([429, expect.stringContaining('limit of 1 open')]);
  isHeld = false;
  held[0]?.();
  expect((await first).json.type).toBe('connected');
  const types: (string | number)[] = [];
  for (let model = 1; model < 11; model += 1) {
    const { status, json } = await connect({ model: `m${model}`, address });
    types.push(status === 200 ? json.type : status);
  }
  expect(types.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 'connected'));
  expect(types.at(-1)).toBe(429);
  const { token } = await server.createToken({ name: 'other', scopes: ['admin'] });
  const other = async (model: string): Promise<Response> =>
    fetch(`${server.url}/api/models`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'openai-compatible', model, address }),
    });
  for (let model = 10; model < 16; model += 1) expect((await other(`n${model}`)).status).toBe(200);
  const full = await other('n17');
  expect([full.status, await full.text()]).toEqual([429, expect.stringContaining('Disconnect one')]);
  // One that is connected can be connected again.
  expect((await other('m0')).status).toBe(200);
});

it('are refused beyond loopback, unless the setting enables them, and then without this machine', async () => {
  const model = await scripted();
  const body = { address: model.openaiUrl, api_key: KEY };
  const remote = await serve({ host: '0.0.0.0' });
  const { status, json } = await remote.connect(body);
  expect([status, json.detail]).toEqual([404, expect.stringContaining('connectedModels')]);
  const enabled = await serve({ host: '0.0.0.0', connectedModels: { isEnabled: true } });
  expect((await enabled.connect(body)).status).toBe(400);
  const { host } = new URL(model.openaiUrl);
  const allow = [host.replace('127.0.0.1', 'localhost')];
  const listed = await serve({ host: '0.0.0.0', connectedModels: { isEnabled: true, allow } });
  expect((await listed.connect(body)).json.type).toBe('connected');
  const disabled = await serve({ connectedModels: { isEnabled: false } });
  expect((await disabled.connect(body)).status).toBe(404);
  const features = async ({ ask }: Served): Promise<unknown> => parseOf((await ask('GET', '/api/me')).text);
  expect(await features(listed)).toMatchObject({ features: { connect_models: true } });
  expect(await features(disabled)).toMatchObject({ features: { connect_models: false } });
});

it('are announced to the streams of all owners', async () => {
  const model = await scripted();
  const { connect, server } = await serve();
  const { token } = await server.createToken({ name: 'other', scopes: ['chats'] });
  const response = await fetch(`${server.url}/api/stream`, { headers: { authorization: `Bearer ${token}` } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const readTo = async (part: string): Promise<void> => {
    while (!text.includes(part)) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) throw new TypeError(`The stream ended: ${text}`);
      text += value;
    }
  };
  await readTo('event: ready');
  await connect({ address: model.openaiUrl, api_key: KEY });
  await readTo('event: models');
  await reader?.cancel();
});
