/** Ids that clients choose over HTTP: unique, returned, and part of addresses. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { settleTurn, startServer, type TestAnswer, type TestServer } from './test-server.ts';
import { readChatStream } from './stream/test-stream.ts';

describeOnBothStores('client ids', ({ freshUrl }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ url: await freshUrl() });
  });
  afterAll(() => server.close());

  const create = (client_id: string, body: object = {}): Promise<TestAnswer> =>
    server.ask('POST', '/api/chats', { body: { content: 'hello', client_id, ...body } });
  const send = (path: string, client_id: string, body: object = {}): Promise<TestAnswer> =>
    server.ask('POST', `${path}/messages`, { body: { content: 'more', client_id, ...body } });

  it('address a chat and its messages in every path, for its owner only', async () => {
    const { json } = await create('page/7', { message_client_id: 'm-1' });
    const { id } = json.chat;
    expect(json).toMatchObject({ chat: { client_id: 'page/7' }, message: { client_id: 'm-1' } });
    const path = `/api/chats/~${encodeURIComponent('page/7')}`;
    expect((await server.ask('GET', path)).json).toMatchObject({ id, client_id: 'page/7' });
    const other = await server.ask('GET', path, { token: server.otherToken });
    expect(other.json.code).toBe('chat_not_found');
    await settleTurn(server.machine, id, 'done');
    expect((await send(path, 'm-2')).json.message).toMatchObject({ client_id: 'm-2' });
    const queued = await send(path, 'm-3');
    expect(queued.json.queued_message).toMatchObject({ client_id: 'm-3' });
    const edited = await server.ask('PATCH', `${path}/messages/~m-2`, {
      body: { content: 'again', client_id: 'm-2' },
    });
    expect(edited.json.message).toMatchObject({ client_id: 'm-2', content: [{ text: 'again' }] });
    const { messages } = (await server.ask('GET', `${path}/messages`)).json;
    expect(messages.map((message) => message.client_id)).toEqual(['m-1', undefined, 'm-2']);
    const missing = await server.ask('PATCH', `${path}/messages/~m-3`, { body: { content: 'x' } });
    expect(missing.json.code).toBe('message_not_found');
    const foreign = await server.ask('PATCH', `/api/chats/${id}/messages/~m-2`, {
      body: { content: 'x' },
      token: server.otherToken,
    });
    expect(foreign.json.code).toBe('message_not_found');
  });

  it('are taken once per owner and per chat, also by requests at the same time', async () => {
    const answers = await Promise.all([create('same'), create('same'), create('same')]);
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
      201, 409, 409,
    ]);
    expect(answers.find(({ status }) => status === 409)?.json.code).toBe('client_id_taken');
    const path = '/api/chats/~same';
    expect((await send(path, 'q')).status).toBe(200);
    expect((await send(path, 'q')).json.code).toBe('client_id_taken');
    const body = { content: 'hello', client_id: 'same' };
    expect((await server.ask('POST', '/api/chats', { body, token: server.otherToken })).status).toBe(201);
    for (const client_id of ['', 'a b', 'ü', 'x'.repeat(129)]) {
      expect([client_id, (await create(client_id)).status]).toEqual([client_id, 400]);
    }
  });

  it('are free again after the chat was deleted, and keep their message through the queue', async () => {
    const { json } = await create('gone');
    await send('/api/chats/~gone', 'later');
    await settleTurn(server.machine, json.chat.id, 'done');
    const { messages } = (await server.ask('GET', '/api/chats/~gone/messages')).json;
    expect(messages.at(-1)).toMatchObject({ role: 'user', client_id: 'later' });
    await server.ask('DELETE', '/api/chats/~gone');
    expect((await server.ask('GET', '/api/chats/~gone')).status).toBe(404);
    expect((await create('gone')).status).toBe(201);
  });

  it('a stream from the version of the last turn starts with the answer to its message', async () => {
    const { json } = await create('resume');
    const { id } = json.chat;
    expect(json.chat).toMatchObject({ version: 1, turn_version: 1 });
    await settleTurn(server.machine, id, 'first');
    await server.ask('PATCH', '/api/chats/~resume', { body: { title: 'no turn' } });
    await send('/api/chats/~resume', 'second');
    await settleTurn(server.machine, id, 'second');
    const { turn_version: after } = (await server.ask('GET', '/api/chats/~resume')).json;
    const seen = await readChatStream(server, '~resume', {
      query: `?after=${after}`,
      until: ({ event }) => event.type === 'status' && event.status === 'waiting',
    });
    const texts = seen.flatMap(({ event }) => (event.type === 'message' ? [event.message.content] : []));
    expect(texts).toEqual([[{ type: 'text', text: 'second' }]]);
  });
});
