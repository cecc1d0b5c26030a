/** Chat settings: changeable at any time, and read-only fields, over real HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FORMAT, startServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

async function create(body: object = {}): Promise<string> {
  const { json } = await server.ask('POST', '/api/chats', { body: { content: 'x', ...body } });
  return json.chat.id;
}

it('changes all given fields, in one version', async () => {
  const path = `/api/chats/${await create()}`;
  const before = await server.ask('GET', path);
  const body = { title: 'T', model: 'scripted:b', settings: { a: 1 }, plan_mode: true };
  const { status, json } = await server.ask('PATCH', path, { body });
  expect(status).toBe(200);
  expect(json).toMatchObject({ ...body, version: before.json.version + 1 });
});

it('changes nothing if a part of it is refused', async () => {
  const path = `/api/chats/${await create({ response_format: FORMAT })}`;
  const before = await server.ask('GET', path);
  for (const [body, refused] of [
    [{ title: 'T', plan_mode: true }, [409, 'request_open', 'plan_mode']],
    [{ title: 'T', model: 'none' }, [400, 'invalid_body', 'model']],
    [{ title: 'T', parent_chat_id: 'x' }, [400, 'invalid_body', 'parent_chat_id']],
    [{ title: 'T', status: 'waiting' }, [400, 'invalid_body', 'status']],
  ] as const) {
    const { status, json } = await server.ask('PATCH', path, { body });
    expect([status, json.code, json.field]).toEqual(refused);
    expect((await server.ask('GET', path)).json).toEqual(before.json);
  }
});

it('changes the system prompt and the tools, with the checks of a new chat', async () => {
  const tool = { name: 'look', input_schema: { type: 'object' } };
  const path = `/api/chats/${await create({ system_prompt: 'Be brief.', tools: [tool] })}`;
  const other = { ...tool, name: 'read' };
  const body = { system_prompt: 'Be exact.', tools: [tool, other] };
  expect((await server.ask('PATCH', path, { body })).json).toMatchObject(body);
  const reserved = { ...tool, name: 'submit_structured_output' };
  for (const tools of [[tool, tool], [reserved]]) {
    const { status, json } = await server.ask('PATCH', path, { body: { title: 'T', tools } });
    expect([status, json.field]).toEqual([400, 'tools']);
  }
  expect((await server.ask('GET', path)).json).toMatchObject({ ...body, title: 'x' });
  const { json } = await server.ask('PATCH', path, { body: { system_prompt: '', tools: [] } });
  expect([json.tools, 'system_prompt' in json]).toEqual([[], false]);
});

it('sets plan mode to its current value, even while a request is open', async () => {
  const path = `/api/chats/${await create({ plan_mode: true })}`;
  const body = { content: 'y', plan_mode: false, response_format: FORMAT };
  expect((await server.ask('POST', `${path}/messages`, { body })).status).toBe(200);
  expect((await server.ask('PATCH', path, { body: { plan_mode: true } })).status).toBe(200);
  expect((await server.ask('PATCH', path, { body: { plan_mode: false } })).status).toBe(200);
  expect((await server.ask('PATCH', path, { body: { plan_mode: true } })).status).toBe(409);
});

it('does not expose the parent of a chat in its settings', async () => {
  const parentId = await create();
  const { ownerId } = await server.machine.loadTurn(parentId).then(({ chat }) => chat);
  const parts = [{ type: 'text', text: 'x' }] as const;
  const asked = { owner: ownerId, model: 'scripted:a', message: { parts }, parentId };
  const { chat } = await server.machine.createChat(asked);
  const settings = { parent_chat_id: 'another' };
  const patched = await server.ask('PATCH', `/api/chats/${chat.id}`, { body: { settings } });
  expect(patched.json).toMatchObject({ parent_chat_id: parentId, settings });
  const created = await server.ask('GET', `/api/chats/${await create({ settings })}`);
  expect([created.json.parent_chat_id, created.json.settings]).toEqual([undefined, settings]);
  const refused = await server.ask('POST', '/api/chats', {
    body: { content: 'x', parent_chat_id: parentId },
  });
  expect([refused.status, refused.json.field]).toEqual([400, 'parent_chat_id']);
});
