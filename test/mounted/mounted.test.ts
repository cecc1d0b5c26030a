/** Mounted servers in Hono, Express and plain Node: real clients, the end of streams, and the rules of paths. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createChatServer } from '@truecast/server';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { environmentOf, openStream, pearModel, USED, useMounted } from './use-mounted.ts';

interface App extends AsyncDisposable {
  readonly url: string;
}

type NodeListener = (...args: Parameters<RequestListener>) => unknown;

async function serveApp(listener: NodeListener): Promise<App> {
  const server = createServer((...args) => void listener(...args)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type MountedServer = Awaited<ReturnType<typeof mount>>;
const mount = (environment: Readonly<Record<string, string>>, basePath?: string) =>
  createChatServer({
    listen: false,
    databaseUrl: ':memory:',
    environment,
    ...(basePath !== undefined && { basePath }),
  });

/** The path in the server's options, and the app. */
const FRAMEWORKS: Readonly<
  Record<string, readonly [basePath: string | undefined, app: (server: MountedServer) => NodeListener]>
> = {
  'Hono with mount()': [
    undefined,
    ({ fetch }) => getRequestListener(new Hono().mount('/ai', fetch).fetch, { overrideGlobalObjects: false }),
  ],
  'Hono with whole paths': [
    '/ai',
    ({ fetch }) => {
      const app = new Hono().all('/ai/*', ({ req }) => fetch(req.raw));
      return getRequestListener(app.fetch, { overrideGlobalObjects: false });
    },
  ],
  'Express with use()': [undefined, ({ nodeHandler }) => express().use('/ai', nodeHandler)],
  'Express with whole paths': ['/ai', ({ nodeHandler }) => express().all('/ai/*path', nodeHandler)],
  'node:http with whole paths': ['/ai', ({ nodeHandler }) => nodeHandler],
};

it.each(Object.entries(FRAMEWORKS))(
  '%s: a typed turn, its stream, and the client of OpenAI',
  async (_name, [basePath, toApp]) => {
    await using model = await pearModel();
    await using server = await mount(environmentOf(model), basePath);
    await using app = await serveApp(toApp(server));
    const { token } = await server.createToken({ name: 'test' });
    const mounted = { baseURL: `${app.url}/ai`, token };
    expect(await useMounted(mounted)).toEqual(USED);
    const stream = await openStream(mounted);
    await server.close();
    // The app's server stays open.
    expect(await stream.ended).toContain(': ');
    const late = await fetch(`${mounted.baseURL}/healthz`);
    expect([late.status, late.headers.get('retry-after'), await late.json()]).toEqual([
      503,
      '1',
      expect.objectContaining({ code: 'unavailable', detail: expect.stringContaining('is closing') }),
    ]);
  },
);

it('has no port and no url, and its documents lead below its path', async () => {
  await using server = await mount({}, '/ai');
  expect('url' in server).toBe(false);
  const read = async (path: string): Promise<string> =>
    (await server.fetch(new Request(`https://app.example${path}`))).text();
  expect(JSON.parse(await read('/ai/openapi.json'))).toMatchObject({ servers: [{ url: '/ai' }] });
  expect(await read('/ai')).toContain('href="docs"');
  const outside = await read('/chats');
  expect(outside).toContain('below `/ai`, which is the `basePath` of this server.');
  expect(await read('/aid/healthz')).toContain('below `/ai`');
  await using stripped = await mount({});
  const document = await stripped.fetch(new Request('https://app.example/openapi.json'));
  expect(await document.json()).toMatchObject({ servers: [{ url: '.' }] });
});

it('accepts each Host of the app, unless `allowedHosts` lists some, and no foreign origin', async () => {
  await using open = await mount({});
  await using listed = await createChatServer({
    listen: false,
    databaseUrl: ':memory:',
    environment: {},
    allowedHosts: ['app.example'],
  });
  const status = async (server: MountedServer, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await server.fetch(new Request('http://127.0.0.1/healthz', { headers }))).status;
  expect(await status(open, { host: 'app.example' })).toBe(200);
  expect(await status(open, { host: 'app.example', origin: 'https://app.example' })).toBe(200);
  expect(await status(open, { host: 'app.example', origin: 'https://other.example' })).toBe(403);
  expect(await status(listed, { host: 'app.example' })).toBe(200);
  expect(await status(listed, { host: 'rebound.example' })).toBe(421);
});

it('a listening server answers `fetch()` too, with the rules of its port', async () => {
  await using server = await createChatServer({ port: 0, databaseUrl: ':memory:', environment: {} });
  const ask = (url: string): Promise<Response> => server.fetch(new Request(url));
  expect((await ask(`${server.url}/healthz`)).status).toBe(200);
  expect((await ask('http://rebound.example/healthz')).status).toBe(421);
  await server.close();
  expect((await ask(`${server.url}/healthz`)).status).toBe(503);
});

it('waits for a running request within `shutdownMs`, then cuts it', async () => {
  await using model = await scriptedModelServer({
    script: async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return reply.text('');
    },
  });
  const open = async (shutdownMs: number): Promise<MountedServer> => {
    const server = await createChatServer({
      listen: false,
      databaseUrl: ':memory:',
      environment: environmentOf(model),
      shutdownMs,
    });
    const { token } = await server.createToken({ name: 'test' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'local:scripted', messages: [{ role: 'user', content: 'Hang.' }] });
    const request = new Request('http://app.example/v1/chat/completions', { method: 'POST', headers, body });
    server.fetch(request).catch(() => undefined);
    return server;
  };
  const servers = [await open(600_000), await open(1_000)];
  await expect.poll(() => model.turns.length).toBe(2);
  const first = await Promise.race(servers.map((server, index) => server.close().then(() => index)));
  expect(first).toBe(1);
});

it('names a parser that read the body before the server', async () => {
  await using server = await mount({});
  await using app = await serveApp(express().use(express.json()).use('/ai', server.nodeHandler));
  const { token } = await server.createToken({ name: 'test' });
  const response = await fetch(`${app.url}/ai/api/chats`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"content":"Hello"}',
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({
      detail: expect.stringContaining('by `express.json()`. Mount the server before it'),
    }),
  ]);
});

it.each([
  [{ listen: false, port: 0 }, 'A server with `listen: false` has no port, got `port`'],
  [{ listen: false, console: true }, 'got `console`'],
  [{ listen: false, basePath: 'ai' }, '`basePath`'],
  [{ listen: false, basePath: '/ai/' }, '`basePath`'],
  [{ basePath: '/ai' }, 'A server with a port has no prefix, got `basePath`'],
  [{ listen: 'no' }, '`listen`'],
])('refuses %o before anything is opened', async (options: object, named) => {
  await expect(createChatServer({ databaseUrl: ':memory:', environment: {}, ...options })).rejects.toThrow(
    named,
  );
});
