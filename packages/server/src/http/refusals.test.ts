/** Refusals over real HTTP: invalid bodies, foreign ids on every route, and oversized input. */
import { Agent, request, type ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMAT, startServer, type TestServer } from './test-server.ts';
import { ROUTES } from './routes/all-routes.ts';

let server: TestServer;
let chatId: string;
let requestId: string;

beforeAll(async () => {
  server = await startServer({ limits: { requestsPerMinute: 100_000 } });
  const { json } = await server.ask('POST', '/api/chats', {
    body: { content: 'mine', response_format: FORMAT },
  });
  chatId = json.chat.id;
  requestId = json.request_id ?? '';
  await server.ask('POST', `/api/chats/${chatId}/messages`, { body: { content: 'queued' } });
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

/** A valid body, so that only the id is wrong. */
const BODIES: Readonly<Record<string, object>> = {
  patchChat: { title: 'stolen' },
  sendMessage: { content: 'stolen' },
  editMessage: { content: 'stolen' },
  submitToolResults: { results: [{ tool_call_id: 'a', output: 1 }] },
};

const chatRoutes = ROUTES.filter(({ path }) => path.includes(':id'));

describe.each(chatRoutes)('$method $path', ({ method, path, operationId }) => {
  const address = (ids: Readonly<Record<string, string>>): string =>
    path.replaceAll(/:(\w+)/gu, (_match, name: string) => encodeURIComponent(ids[name] ?? ''));
  const ask = (ids: Readonly<Record<string, string>>, token: string) =>
    server.ask(method.toUpperCase(), address(ids), {
      token,
      ...(BODIES[operationId] && { body: BODIES[operationId] }),
    });

  it('answers an id of another owner exactly like an unknown id', async () => {
    const mine = { id: chatId, mid: '1', qid: '1', rid: requestId };
    const nobodys = { ...mine, id: crypto.randomUUID(), rid: crypto.randomUUID() };
    const foreign = await ask(mine, server.otherToken);
    const unknown = await ask(nobodys, server.otherToken);
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect({ ...foreign.json, http_request_id: '' }).toEqual({ ...unknown.json, http_request_id: '' });
    expect(foreign.text).not.toContain(chatId);
  });

  // Clients resolve `..` themselves, so `/api/chats/../stream` is the address of another route.
  it.each(['...', 'x\u0000y', '"', 'a'.repeat(5_000), '0', '-1', '1e3', '٣'])(
    'rejects an id like %.9j',
    async (id) => {
      const { status } = await ask({ id, mid: id, qid: id, rid: id }, server.token);
      expect(status).toBe(404);
      const hasOwnId = path.split(':').length > 2;
      if (!hasOwnId) return;
      const inside = await ask({ id: chatId, mid: id, qid: id, rid: id }, server.token);
      expect(inside.status).toBe(404);
    },
  );
});

it('left the chat of the owner as it was', async () => {
  const { json } = await server.ask('GET', `/api/chats/${chatId}`);
  expect(json).toMatchObject({ title: 'mine', status: 'running', queue_length: 1 });
  expect((await server.ask('GET', '/api/chats', { token: server.otherToken })).json.chats).toEqual([]);
});

const post = (raw: RequestInit['body'], headers: Record<string, string> = {}) =>
  server.ask('POST', '/api/chats', { raw: raw ?? null, headers });

interface Asked {
  readonly status: number | undefined;
  /** True if the connection of an earlier request was reused. */
  readonly isReused: boolean;
}

/** Lists chats over a connection of the agent. The pieces of the body arrive with delays. */
function askBy(agent: Agent, method: string, body: readonly string[] = []): Promise<Asked> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}/api/chats`, { agent, method, headers }, (response) => {
      response.resume().on('end', () => {
        // The connection returns to the agent a moment later.
        setImmediate(() => resolve({ status: response.statusCode, isReused: asked.reusedSocket }));
      });
    });
    asked.on('error', reject);
    void sendSlowly(asked, body);
  });
}

async function sendSlowly(asked: ClientRequest, body: readonly string[]): Promise<void> {
  for (const piece of body) {
    asked.write(piece);
    await sleep(100);
  }
  asked.end();
}

function disposable(agent: Agent): Agent & Disposable {
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() });
}

describe('a body', () => {
  it('of more than 1 MiB is refused, streamed or not', async () => {
    const large = JSON.stringify({ content: 'x'.repeat(1024 * 1024) });
    expect((await post(large)).json).toMatchObject({ code: 'too_large' });
    expect((await post(large)).status).toBe(413);
    let chunks = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        if (chunks > 64) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024).fill(32));
      },
    });
    expect((await post(stream)).status).toBe(413);
    const fits = JSON.stringify({ content: 'x'.repeat(1024 * 1024 - 20) });
    expect((await post(fits)).status).toBe(201);
  });

  it('that is too large and slow keeps the connection of its client', async () => {
    using agent = disposable(new Agent({ keepAlive: true, maxSockets: 1 }));
    const first = await askBy(
      agent,
      'POST',
      Array.from({ length: 20 }, () => 'x'.repeat(64 * 1024)),
    );
    const next = await askBy(agent, 'GET');
    expect([first.status, next.status]).toEqual([413, 200]);
    expect(next.isReused).toBe(true);
  });

  const BAD_BODIES: readonly (readonly [string, string])[] = [
    ['', 'invalid_body'],
    ['{', 'invalid_json'],
    ['[]', 'invalid_body'],
    ['null', 'invalid_body'],
    ['{"content":"x"} {}', 'invalid_json'],
    ['\uFEFF{"content":"x"}', 'invalid_json'],
    ['{"__proto__":{},"content":"x"}', 'invalid_json'],
    [`{"content":"x","settings":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`, 'invalid_json'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'invalid_json'],
  ];

  it.each(BAD_BODIES.map(([raw, code]) => ({ raw, code, start: raw.slice(0, 40) })))(
    'that is not a JSON object is refused: $start',
    async ({ raw, code }) => {
      const { status, json, headers } = await post(raw);
      expect([status, json.code]).toEqual([400, code]);
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(json.http_request_id).toBe(headers.get('x-request-id'));
    },
  );

  it('that is not UTF-8 is refused', async () => {
    expect((await post(new Uint8Array([0x22, 0xff, 0x22]))).json.code).toBe('invalid_json');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
  ])('declared as %s is refused', async (type) => {
    const answer = await post('{"content":"x"}', { 'content-type': type });
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    [{}, 'content', undefined],
    [{ content: '' }, 'content', undefined],
    [{ content: [] }, 'content', undefined],
    [{ content: [{ type: 'response_format', request_id: 'r' }] }, 'content', '/0/type'],
    [{ content: [{ type: 'text', text: 'x', more: 1 }] }, 'content', '/0/more'],
    [
      { content: [{ type: 'file', media_type: 'image/png', url: 'file:///etc/passwd' }] },
      'content',
      '/0/url',
    ],
    [
      { content: [{ type: 'file', media_type: 'image/png', data: 'http://127.0.0.1/x' }] },
      'content',
      '/0/data',
    ],
    [{ content: 'x', unknown: 1 }, 'unknown', undefined],
    [{ content: 'x', title: 'x'.repeat(201) }, 'title', undefined],
    [{ content: 'x', model: 'none' }, 'model', undefined],
    [{ content: 'x', plan_mode: true, response_format: FORMAT }, 'response_format', undefined],
    [{ content: 'x', response_format: {} }, 'response_format.type', undefined],
    [{ content: 'x', response_format: { type: 'text', more: 1 } }, 'response_format.more', undefined],
    [{ content: 'x', limits: { text_only: 9 }, response_format: FORMAT }, 'limits.text_only', undefined],
    [{ content: 'x', tools: [{ name: 'a b', input_schema: {} }] }, 'tools', '/0/name'],
    [{ content: 'x', tools: ['a', 'a'].map((name) => ({ name, input_schema: {} })) }, 'tools', '/1/name'],
    [
      {
        content: 'x',
        tools: [{ name: 'submit_structured_output', input_schema: {} }],
      },
      'tools',
      '/0/name',
    ],
  ])('is refused by its field: %j', async (body, field, pointer) => {
    const { status, json } = await server.ask('POST', '/api/chats', { body });
    expect([status, json.code, json.field]).toEqual([400, 'invalid_body', field]);
    expect(json.problems?.[0]?.pointer).toBe(pointer);
  });

  it('is refused with all its problems', async () => {
    const { json } = await post(
      '{"content":1,"a":1,"title":2,"response_format":{"type":"x"},"limits":{"z":1}}',
    );
    expect(json.problems?.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['content', 'a', 'title', 'response_format.type', 'limits.z']),
    );
  });

  it.each([
    ['{"content":"x","content":"y"}', 'content', undefined],
    ['{"content":"x","settings":{"a":{"b":1,"b":2}}}', 'settings', '/a/b'],
    ['{"content":[{"type":"text","text":"a","text":"b"}]}', 'content', '/0/text'],
  ])('with a repeated key is refused: %s', async (raw, field, pointer) => {
    const { status, json } = await post(raw);
    expect([status, json.field, json.problems?.[0]?.pointer]).toEqual([400, field, pointer]);
  });

  it('with a repeated key in the format is refused', async () => {
    const raw =
      '{"content":"x","response_format":{"type":"json_schema","type":"text","json_schema":{"name":"a","schema":{"type":"object","type":"object"}}}}';
    const { status, json } = await post(raw);
    expect([status, json.code]).toEqual([400, 'invalid_body']);
    expect(json.field).toMatch(/^response_format/u);
  });
});

it('refuses parameters that are unknown or out of bounds', async () => {
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=x', 'limit'],
    ['after=x', 'after'],
    ['status=x', 'status'],
    ['other=1', 'other'],
  ]) {
    const { status, json } = await server.ask('GET', `/api/chats?${query}`);
    expect([query, status, json.field]).toEqual([query, 400, field]);
  }
  const { json } = await server.ask('GET', `/api/chats/${chatId}/requests/${requestId}?wait=61`);
  expect(json).toMatchObject({ code: 'invalid_parameter', field: 'wait' });
});

it('rejects a wrong token', async () => {
  for (const token of ['x', server.token.slice(0, -1), `${server.token}x`, `tc_${'a'.repeat(43)}`]) {
    expect((await server.ask('GET', '/api/chats', { token })).status).toBe(401);
  }
  const { rows } = await hashes();
  expect(JSON.stringify(rows)).not.toContain(server.token);
});

async function hashes(): Promise<{ rows: unknown[] }> {
  return { rows: await server.store.db.selectFrom('access_tokens').selectAll().execute() };
}

it('reports the allowed methods of an address, and unknown addresses', async () => {
  expect((await server.ask('PUT', '/api/chats')).json).toMatchObject({ code: 'method_not_allowed' });
  expect((await server.ask('GET', '/api/nothing')).json).toMatchObject({ code: 'not_found' });
  expect((await server.ask('GET', '/api/chats/')).status).toBe(404);
});

it('rejects another host name and pages of another origin', async () => {
  const { port } = new URL(server.url);
  const host = await rawGet(Number(port), 'evil.example');
  expect(host).toMatch(/^HTTP\/1\.1 421 /u);
  expect(await rawGet(Number(port), `localhost:${port}`)).toMatch(/^HTTP\/1\.1 200 /u);
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
    const { status, json } = await server.ask('GET', '/healthz', { headers: { origin } });
    expect([origin, status, json.code]).toEqual([origin, 403, 'foreign_origin']);
  }
  expect((await server.ask('GET', '/healthz', { headers: { origin: server.url } })).status).toBe(200);
});

/** `fetch` writes the header itself. */
function rawGet(port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}
