/**
 * Hostile HTTP, written byte by byte: targets, Host headers, credentials in other places, and bodies
 * whose parsed value differs from their text.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi-document.ts';
import { ROUTES } from './routes/all-routes.ts';
import { startServer, type TestServer } from './test-server.ts';

let server: TestServer;
let port: number;
let chatId: string;
beforeAll(async () => {
  server = await startServer({ limits: { requestsPerMinute: 100_000 } });
  port = Number(new URL(server.url).port);
  const { json } = await server.ask('POST', '/api/chats', { body: { content: 'private words' } });
  chatId = json.chat.id;
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

/** Sends bytes, and returns all that came back until the server ended the connection. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let got = '';
    socket.on('data', (chunk) => (got += String(chunk)));
    socket.on('close', () => resolve(got)).on('error', reject);
    socket.write(text);
  });
}

function get(target: string, headers: readonly string[], host = '127.0.0.1'): Promise<string> {
  return send(
    [`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headers, 'Connection: close', '', ''].join('\r\n'),
  );
}

const statusOf = (answer: string): string => answer.slice(9, 12);
const bearer = (token: string): string => `Authorization: Bearer ${token}`;

describe.each([
  '/api/chats',
  '/%61pi/chats',
  '//api/chats',
  '/api//chats',
  '/./api/chats',
  '/healthz/../api/chats',
  '/healthz/%2e%2e/api/chats',
  '/healthz/..%2fapi/chats',
  '/docs/..%5c..%5capi/chats',
  '/v1/../api/chats',
  '/api%2fchats',
  '/api/chats%00',
  '/api/chats;x',
  '/api/chats#x',
  '/api/chats?x#',
  '/API/CHATS',
  '/api/chats/%ff',
  '/api/chats/%c0%ae',
  '/api/chats/%',
  'http://evil.example/api/chats',
  'http://127.0.0.1/healthz/../api/chats/ID',
  '/healthz/..%2fapi/chats/ID',
  '/api/chats/ID%2fmessages',
  '/api/chats/x/..%2fID/messages',
  '/api/chats/%2e%2e/chats/ID',
  '*',
])('the target %s', (target) => {
  const address = (): string => target.replace('ID', chatId);

  it('needs a token, redirects nowhere, and shows nothing to another owner', async () => {
    for (const headers of [[], [bearer(server.otherToken)]]) {
      const answer = await get(address(), headers);
      expect(answer).not.toContain('private');
      expect(answer).not.toMatch(/^location:/im);
      expect(statusOf(answer)).toMatch(headers.length === 0 ? /^40[01]$/ : /^(?:200|400|404)$/);
    }
  });
});

it.each([
  'evil.example',
  '127.0.0.1.evil.example',
  'localhost.',
  'localhost.evil.example:80',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0.0.0.0',
  '[::ffff:127.0.0.1]',
  '127.0.0.1@evil.example',
  'evil.example@127.0.0.1',
  'evil.example#127.0.0.1',
  '127.0.0.1/x',
  '127.0.0.1, evil.example',
  'localhost:1:2',
  '',
  '127.0.0.1\r\nHost: evil.example',
  'evil.example\r\nHost: 127.0.0.1',
])('the Host header %j is refused on every address', async (host) => {
  for (const target of [
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/api/chats',
    '/v1/models',
    '/openapi.json',
  ]) {
    expect(statusOf(await get(target, [bearer(server.token)], host))).toMatch(/^4(?:00|21)$/);
  }
});

it('a token counts only in the Authorization header, as Bearer', async () => {
  const { token } = server;
  for (const headers of [
    [`Cookie: token=${token}; access_token=${token}; authorization=${token}`],
    [`Authorization: Basic ${Buffer.from(`x:${token}`).toString('base64')}`],
    [`Authorization: ${token}`],
    [`Authorization: Bearer\t${token}`],
    [`X-Api-Key: ${token}`],
    [`Proxy-Authorization: Bearer ${token}`],
    [bearer('x'), bearer(token)],
    [bearer(token), bearer('x')],
    [bearer(`${token},x`)],
  ]) {
    expect([headers, statusOf(await get('/api/chats', headers))]).toEqual([headers, '401']);
  }
  for (const name of ['access_token', 'token', 'key', 'authorization']) {
    expect(statusOf(await get(`/api/chats?${name}=${token}`, []))).toBe('401');
  }
});

it.each(['x-http-method-override', 'x-http-method', 'x-method-override', '_method'])(
  '%s does not change the method',
  async (name) => {
    await server.ask('POST', `/api/chats/${chatId}/interrupt?${name}=DELETE`, {
      headers: { [name]: 'DELETE' },
    });
    expect((await server.ask('GET', `/api/chats/${chatId}`)).status).toBe(200);
  },
);

it.each(['TRACE', 'CONNECT', 'PROPFIND', 'QUERY', 'PRI', 'get'])('%s gets no data', async (method) => {
  const answer = await send(
    `${method} /api/chats HTTP/1.1\r\nHost: 127.0.0.1\r\n${bearer(server.token)}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).not.toContain('private');
});

it.each([
  ['a head', 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: '],
  ['a body', `POST /api/chats HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n`],
  ['a chunk', `POST /api/chats HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n`],
])('a client that never ends %s is disconnected', async (_title, head) => {
  const slow = await startServer({ requestTimeoutMs: 200 });
  const { port: own } = new URL(slow.url);
  const socket = connect(Number(own), '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  socket.write(
    `${head}${head.endsWith(' ') ? '' : `${bearer(slow.token)}\r\nContent-Type: application/json\r\n\r\n`}`,
  );
  await closed;
  await slow.close();
});

describe('answers', () => {
  it('to a token are never stored by caches, frames or guesses of the type', async () => {
    const { paths } = (await openApiDocument(ROUTES)) as { readonly paths: Record<string, object> };
    const addresses = Object.keys(paths).filter(
      (path) => path.startsWith('/api/') && !path.endsWith('stream'),
    );
    expect(addresses.length).toBeGreaterThan(15);
    for (const path of [...addresses, '/metrics', '/v1/models', '/nothing']) {
      const { headers } = await server.ask('GET', path.replaceAll(/\{\w+\}/gu, chatId));
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('set-cookie')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('a body whose parsed value would differ from its text', () => {
  const WIDE = '9007199254740993';
  it.each([
    ['POST', '/api/chats', `{"content":"x","settings":{"a":1e400}}`, '/a'],
    ['POST', '/api/chats', `{"content":"x","settings":{"a":[${WIDE}]}}`, '/a/0'],
    ['POST', '/api/chats', `{"content":"x","settings":{"input_schema":${WIDE}}}`, '/input_schema'],
    [
      'POST',
      '/api/chats',
      `{"content":"x","tools":[{"name":"a","input_schema":{"maximum":1e400}}]}`,
      '/0/input_schema/maximum',
    ],
    ['PATCH', '/api/chats/ID', `{"settings":{"a":-1e400}}`, '/a'],
    ['POST', '/api/chats/ID/messages', `{"content":"x","settings":{"a":${WIDE}}}`, undefined],
    [
      'POST',
      '/api/chats/ID/tool_results',
      `{"results":[{"tool_call_id":"a","output":{"id":${WIDE}}}]}`,
      '/0/output/id',
    ],
    ['POST', '/api/chats/ID/tool_results', `{"results":[{"tool_call_id":"a","output":1e400}]}`, '/0/output'],
    [
      'POST',
      '/api/chats',
      `{"content":"x","response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"maximum":1e400}}}}`,
      '/maximum',
    ],
  ])('is refused by %s %s: %s', async (method, path, raw, pointer) => {
    const { status, json } = await server.ask(method, path.replace('ID', chatId), { raw });
    expect([status, json.code]).toEqual([400, 'invalid_body']);
    if (pointer !== undefined) expect(json.problems?.map((problem) => problem.pointer)).toContain(pointer);
  });

  it('accepts the limits of 64-bit integers in schemas', async () => {
    const schema = '{"type":"object","properties":{"n":{"type":"integer","maximum":18446744073709551615}}}';
    const raw = `{"content":"x","tools":[{"name":"a","input_schema":${schema}}],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":${schema}}}}`;
    expect((await server.ask('POST', '/api/chats', { raw })).status).toBe(201);
  });

  it.each(['__proto__', String.raw`\u005f_proto__`, 'constructor":{"prototype'])(
    'is refused with the key %s, on every route that reads a body',
    async (key) => {
      const value = key.includes('{') ? '{}}' : '{}';
      for (const { method, path } of ROUTES.filter((route) => route.body !== undefined)) {
        const address = path.replaceAll(/:\w+/gu, (name) => (name === ':id' ? chatId : '1'));
        const { status, json } = await server.ask(method.toUpperCase(), address, {
          raw: `{"content":"x","a":[{"${key}":${value}}]}`,
        });
        if (status !== 404) expect([path, status, json.code]).toEqual([path, 400, 'invalid_json']);
      }
    },
  );
});
