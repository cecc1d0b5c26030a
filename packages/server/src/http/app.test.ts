/** The routes over real HTTP, on a real store. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { settleTurn, callClientTool, FORMAT, startServer, type TestServer } from './test-server.ts';

describeOnBothStores('the routes', ({ freshUrl }) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ url: await freshUrl() });
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  async function newChat(body: object = {}): Promise<string> {
    const { json } = await server.ask('POST', '/api/chats', { body: { content: 'hello', ...body } });
    return json.chat.id;
  }

  it('answers /, /healthz, /readyz, /docs and /openapi.json without a token, and nothing else', async () => {
    const open = await Promise.all(
      ['/', '/healthz', '/readyz', '/docs', '/openapi.json'].map((path) =>
        server.ask('GET', path, { token: null }),
      ),
    );
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const path of ['/metrics', '/api/models', '/api/chats', '/nothing', '/api/chats/x/stream']) {
      const { status, json, headers } = await server.ask('GET', path, { token: null });
      expect([path, status, json.code]).toEqual([path, 401, 'unauthorized']);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('keeps idle connections longer than the usual minute of a proxy', async () => {
    const { headers } = await server.ask('GET', '/healthz', { token: null });
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  it('creates a chat with its first message', async () => {
    const { status, json } = await server.ask('POST', '/api/chats', {
      body: { content: 'What is it?\nTell me.', model: 'scripted:b', settings: { a: 1 } },
    });
    expect(status).toBe(201);
    expect(json.chat).toMatchObject({
      title: 'What is it?',
      status: 'running',
      model: 'scripted:b',
      settings: { a: 1 },
      tools: [],
    });
    expect(json.message).toMatchObject({ id: 1, role: 'user', content: [{ type: 'text' }] });
    expect(json.request_id).toBeUndefined();
    const read = await server.ask('GET', `/api/chats/${json.chat.id}`);
    expect(read.json).toEqual(json.chat);
    const { json: list } = await server.ask('GET', `/api/chats/${json.chat.id}/messages`);
    expect(list).toEqual({ messages: [json.message], has_more: false });
  });

  it('accepts a format, and returns its receipt, at once or as soon as it is final', async () => {
    const { json } = await server.ask('POST', '/api/chats', {
      body: { content: 'x', response_format: FORMAT },
    });
    const path = `/api/chats/${json.chat.id}/requests/${json.request_id}`;
    expect(json.message.content[1]).toMatchObject({
      type: 'response_format',
      request_id: json.request_id,
    });
    const running = await server.ask('GET', path);
    expect(running.json).toMatchObject({ status: 'running' });
    const waiting = server.ask('GET', `${path}?wait=30`);
    await settleTurn(server.machine, json.chat.id, 'done', '{"n":12345678901234567890}');
    const { status, json: receipt } = await waiting;
    expect(status).toBe(200);
    expect(receipt).toMatchObject({ status: 'succeeded', value_text: '{"n":12345678901234567890}' });
  });

  it('runs, queues, promotes and deletes messages', async () => {
    const id = await newChat();
    const send = (body: object) => server.ask('POST', `/api/chats/${id}/messages`, { body });
    const queued = await send({ content: [{ type: 'text', text: 'second' }], response_format: FORMAT });
    expect(queued.json.queued_message).toMatchObject({ id: 1, chat_id: id });
    const third = await send({ content: 'third' });
    const { json: queue } = await server.ask('GET', `/api/chats/${id}/queue`);
    expect(queue.queued_messages.map((message) => message.id)).toEqual([1, 2]);
    expect(queue.queued_messages[0]).toEqual(queued.json.queued_message);
    const promoted = await server.ask(
      'POST',
      `/api/chats/${id}/queue/${third.json.queued_message.id}/promote`,
    );
    expect(promoted.json).toMatchObject({ id, status: 'interrupting' });
    expect((await server.ask('DELETE', `/api/chats/${id}/queue/1`)).status).toBe(204);
    expect((await server.ask('DELETE', `/api/chats/${id}/queue/1`)).json.code).toBe('queued_not_found');
    const gone = await server.ask('GET', `/api/chats/${id}/requests/${queued.json.request_id}`);
    expect(gone.json).toMatchObject({ status: 'canceled', error: { code: 'queue_deleted' } });
  });

  it('interrupts, edits, compacts, patches and deletes', async () => {
    const id = await newChat();
    expect((await server.ask('POST', `/api/chats/${id}/interrupt`)).json.status).toBe('interrupting');
    const edited = await server.ask('PATCH', `/api/chats/${id}/messages/1`, {
      body: { content: 'other', response_format: FORMAT },
    });
    expect(edited.json).toMatchObject({ deleted_message_ids: [1], message: { id: 2 } });
    await settleTurn(server.machine, id, 'answer', '{"n":1}');
    expect((await server.ask('POST', `/api/chats/${id}/compact`)).json.status).toBe('running');
    expect((await server.ask('POST', `/api/chats/${id}/compact`)).status).toBe(409);
    const patched = await server.ask('PATCH', `/api/chats/${id}`, { body: { title: 'T', plan_mode: true } });
    expect(patched.json).toMatchObject({ title: 'T', plan_mode: true });
    expect((await server.ask('DELETE', `/api/chats/${id}`)).status).toBe(204);
    expect((await server.ask('GET', `/api/chats/${id}`)).status).toBe(404);
    const receipt = await server.ask('GET', `/api/chats/${id}/requests/${edited.json.request_id}`);
    expect(receipt.json.code).toBe('request_not_found');
  });

  it('accepts the results of client tools', async () => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const id = await newChat({ tools });
    const submit = (results: unknown) =>
      server.ask('POST', `/api/chats/${id}/tool_results`, { body: { results } });
    expect((await submit([{ tool_call_id: 'call-1', output: 1 }])).status).toBe(409);
    await callClientTool(server.machine, id);
    expect((await submit([])).json).toMatchObject({ code: 'no_tool_results', field: 'results' });
    expect((await submit([{ tool_call_id: 'no', output: 1 }])).json.code).toBe('missing_tool_result');
    const { status, json } = await submit([{ tool_call_id: 'call-1', output: { any: ['\u0000', null] } }]);
    expect([status, json.status]).toEqual([200, 'running']);
    const { json: list } = await server.ask('GET', `/api/chats/${id}/messages`);
    expect(list.messages.at(-1)?.content[0]).toMatchObject({ result: { any: ['\u0000', null] } });
  });

  it('cuts long results of client tools in their middle', async () => {
    const id = await newChat({ tools: [{ name: 'look', input_schema: { type: 'object' } }] });
    await callClientTool(server.machine, id);
    const output = `begin ${'x'.repeat(200_000)} end`;
    const body = { results: [{ tool_call_id: 'call-1', output }] };
    expect((await server.ask('POST', `/api/chats/${id}/tool_results`, { body })).status).toBe(200);
    const { json: list } = await server.ask('GET', `/api/chats/${id}/messages`);
    const [result] = list.messages.at(-1)?.content ?? [];
    const told = result?.type === 'tool_result' ? result.result : undefined;
    const text = typeof told === 'string' ? told : '';
    expect(text).toMatch(/^begin x+\n\[… \d+ bytes are left out here.*\]\nx+ end$/su);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
  });

  it('pages through chats and messages', async () => {
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push(await newChat());
    const first = await server.ask('GET', '/api/chats?limit=2');
    expect(first.json.chats).toHaveLength(2);
    const second = await server.ask('GET', `/api/chats?limit=2&after=${first.json.next}`);
    const seen = [...first.json.chats, ...second.json.chats].map((chat) => chat.id);
    expect(new Set(seen).size).toBe(seen.length);
    const id = ids[0] ?? '';
    await settleTurn(server.machine, id, 'one');
    const last = await server.ask('GET', `/api/chats/${id}/messages?limit=1`);
    expect(last.json).toMatchObject({ messages: [{ id: 2, role: 'assistant' }], has_more: true });
    const before = await server.ask('GET', `/api/chats/${id}/messages?before=2`);
    expect(before.json).toMatchObject({ messages: [{ id: 1 }], has_more: false });
    expect((await server.ask('GET', `/api/chats/${id}/messages?before=1&after=2`)).json.field).toBe('after');
    const { json: forward } = await server.ask('GET', `/api/chats/${id}/messages?after=0&limit=1`);
    expect(forward).toMatchObject({ messages: [{ id: 1 }] });
  });

  it('lists models, and dry-runs a format', async () => {
    const { json } = await server.ask('GET', '/api/models');
    expect(json.models[0]).toEqual({
      id: 'scripted:a',
      is_default: true,
      provider: 'openai-compatible',
      is_scripted: true,
      mode: 'tool',
      dialect: 'openai',
    });
    const validate = (response_format: unknown) =>
      server.ask('POST', '/api/response_formats/validate', { body: { response_format } });
    const good = await validate(FORMAT);
    expect(good.json).toMatchObject({ is_valid: true, problems: [] });
    const bad = await validate({
      type: 'json_schema',
      json_schema: { name: 'a b', schema: { type: 'array' } },
    });
    expect(bad.json.is_valid).toBe(false);
    expect(bad.json.problems.length).toBeGreaterThan(1);
  });

  it('reports readiness and metrics', async () => {
    expect((await server.ask('GET', '/readyz')).json).toEqual({ status: 'ready', unavailable_models: 0 });
    const { text } = await server.ask('GET', '/metrics');
    expect(text).toContain('truecast_http_requests_total{method="POST",route="/api/chats",status="201"}');
    expect(text).not.toMatch(/[0-9a-f]{8}-/u);
  });
});
