/** Browsers and proxies: HEAD, CORS, and preflight requests. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from './test-server.ts';

const PAGE = 'https://app.example';
let server: TestServer;
let chatId = '';

beforeAll(async () => {
  server = await startServer({ allowedOrigins: [PAGE], limits: { openStreams: 2 } });
  const { json } = await server.ask('POST', '/api/chats', { body: { content: 'x' } });
  chatId = json.chat.id;
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

it('allows pages of an allowed origin to send and read', async () => {
  const preflight = await server.ask('OPTIONS', '/api/chats', {
    token: null,
    headers: {
      origin: PAGE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(PAGE);
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization.*idempotency-key/u);
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  for (const [path, status] of [
    ['/api/chats', 200],
    ['/api/chats/nothing', 404],
    ['/v1/models', 404],
  ] as const) {
    const { headers, status: answered } = await server.ask('GET', path, { headers: { origin: PAGE } });
    expect([path, answered]).toEqual([path, status]);
    expect(headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(headers.get('access-control-expose-headers')).toContain('x-request-id');
    expect(headers.get('vary')).toContain('origin');
  }
});

it('allows no other origin, and rejects its requests', async () => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
  const refused = await server.ask('OPTIONS', '/api/chats', { token: null, headers });
  expect(refused.status).toBe(403);
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  expect(refused.headers.get('x-request-id')).toBe(refused.json.http_request_id);
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await server.ask('GET', '/metrics')).text).toContain(
    'truecast_http_requests_total{method="OPTIONS",route="other",status="403"} 1',
  );
  const plain = await server.ask('GET', '/api/chats');
  expect(plain.headers.get('access-control-allow-origin')).toBeNull();
  expect(plain.headers.get('vary')).toBe('origin');
  const asked = await server.ask('OPTIONS', '/api/chats', { headers: { origin: PAGE } });
  expect([asked.status, asked.json.code]).toEqual([405, 'method_not_allowed']);
});

it('answers HEAD as GET without its body, and opens no stream by it', async () => {
  for (const path of ['/healthz', '/api/chats', `/api/chats/${chatId}`]) {
    const { status, text, headers } = await server.ask('HEAD', path);
    expect([path, status, text]).toEqual([path, 200, '']);
    expect(headers.get('content-type')).toMatch(/^application\/json/u);
  }
  expect((await server.ask('HEAD', '/api/chats/nothing')).status).toBe(404);
  expect((await server.ask('HEAD', '/api/chats', { token: null })).status).toBe(401);
  for (let count = 0; count < 4; count += 1) {
    const { status, headers } = await server.ask('HEAD', `/api/chats/${chatId}/stream`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  }
  expect((await server.ask('GET', '/metrics')).text).toContain('truecast_streams_open 0');
});

it.each(['-1', '60.1', '61', '1e9', 'x', 'NaN', 'Infinity', '1,5'])('waits no %s seconds', async (wait) => {
  const path = `/api/chats/${chatId}/requests/none?wait=${wait}`;
  const { status, json } = await server.ask('GET', path);
  expect([status, json.code, json.field]).toEqual([400, 'invalid_parameter', 'wait']);
});
