/** Rows that cannot be read, and other faults of the server: each request ends, and can be stopped. */
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { ASK_USER, COUNT, submit } from './answers.ts';
import { httpServer, type HttpServer } from './http-server.ts';

const FORMAT = { type: 'json_schema', json_schema: { name: 'count', schema: COUNT } } as const;
const ASK = { content: 'Count.', response_format: FORMAT };
/** So long that no test waits for it. */
const LONG_PAUSES = { backoffFactor: 1e6 };
/** Tries of a turn. */
const TRIES = 3;

/** Gives the parts of a chat's messages a type that this version does not know. */
async function spoil(store: Store, table: 'chat_messages' | 'chat_queue', chatId: string): Promise<void> {
  const parts = JSON.stringify([{ type: 'hologram', text: 'x' }]);
  await store.db.updateTable(table).set({ parts }).where('chat_id', '=', chatId).execute();
}

/** A chat after its first turn. */
async function settledChat(server: HttpServer, store: Store): Promise<string> {
  const { chatId } = await server.begin({ content: 'Hello.' });
  await server.turns.until(chatId, 'waiting');
  await spoil(store, 'chat_messages', chatId);
  return chatId;
}

async function send(server: HttpServer, chatId: string, body: object = ASK): Promise<string> {
  const { status, json } = await server.ask('POST', `/api/chats/${chatId}/messages`, { body });
  expect(status).toBe(200);
  return String(json['request_id']);
}

/** Reads the chat's stream until it has sent `text`. */
async function streamUntil({ url, token }: HttpServer, chatId: string, text: string): Promise<string> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await fetch(`${url}/api/chats/${chatId}/stream`, { headers, signal: leaving.signal });
  let read = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    read += chunk;
    if (read.includes(text)) break;
  }
  leaving.abort();
  return read;
}

describeOnBothStores('a chat with a message that cannot be read', (open) => {
  it('ends its request as `internal` after a few tries', async () => {
    await using server = await httpServer({ store: open(), script: () => reply.text('Hi.') });
    const chatId = await settledChat(server, open());
    const requestId = await send(server, chatId);
    expect(await server.receipt(chatId, requestId)).toMatchObject({
      status: 'failed',
      error: { code: 'internal', message: expect.stringContaining('cannot be read') },
    });
    expect((await server.ask('GET', `/api/chats/${chatId}`)).json).toMatchObject({
      status: 'error',
      error: { kind: 'internal' },
    });
    expect(server.turns.events.filter(({ level }) => level === 'error')).toHaveLength(TRIES);
    // The next request ends too.
    expect(await server.receipt(chatId, await send(server, chatId))).toMatchObject({ status: 'failed' });
    expect(server.turns.scripted.requests).toHaveLength(1);
  });

  it('is stopped without its messages', async () => {
    await using server = await httpServer({
      store: open(),
      script: () => reply.text('Hi.'),
      ports: LONG_PAUSES,
    });
    const chatId = await settledChat(server, open());
    const requestId = await send(server, chatId);
    await expect.poll(() => server.turns.events.length).toBe(1);
    expect((await server.ask('POST', `/api/chats/${chatId}/interrupt`)).status).toBe(200);
    expect(await server.receipt(chatId, requestId)).toMatchObject({
      status: 'canceled',
      error: { code: 'interrupted' },
    });
    await server.turns.until(chatId, 'waiting');
  });

  it('is listed and streamed, with a sentence in place of the message', async () => {
    await using server = await httpServer({ store: open(), script: () => reply.text('Hi.') });
    const chatId = await settledChat(server, open());
    const requestId = await send(server, chatId);
    await server.receipt(chatId, requestId);
    const { status, json } = await server.ask('GET', `/api/chats/${chatId}/messages`);
    expect(status).toBe(200);
    expect(json['messages']).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: expect.stringContaining('cannot be read') }] },
      { role: 'assistant', content: [{ type: 'text', text: expect.stringContaining('cannot be read') }] },
      { role: 'user', content: [{ type: 'text', text: 'Count.' }, { type: 'response_format' }] },
      { content: [{ type: 'outcome', error: { code: 'internal' } }] },
    ]);
    const streamed = await streamUntil(server, chatId, '"status":"error"');
    expect(streamed).toContain('event: receipt');
    expect(streamed.split('cannot be read: ').length - 1).toBe(2);
    expect(server.faults).toEqual([]);
  });
});

describeOnBothStores('a queued message that cannot be read', (open) => {
  it('ends its request, after the turn before it', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    await using server = await httpServer({
      store: open(),
      script: async () => {
        await answered;
        return submit('{"output":{"n":1}}');
      },
    });
    const { chatId, requestId: first } = await server.begin(ASK);
    const second = await send(server, chatId, { ...ASK, busy_behavior: 'queue' });
    await spoil(open(), 'chat_queue', chatId);
    resolve();
    expect(await server.receipt(chatId, first)).toMatchObject({ status: 'succeeded', value: { n: 1 } });
    expect(await server.receipt(chatId, second)).toMatchObject({
      status: 'failed',
      error: { code: 'internal' },
    });
  });
});

describeOnBothStores('a chat whose own row cannot be read', (open) => {
  it('ends its request when its tools are unknown', async () => {
    await using server = await httpServer({ store: open(), script: () => reply.text('Hi.') });
    const chatId = await settledChat(server, open());
    await server.turns.machine.patchChat({ owner: 'owner', chatId, title: 'Spoiled' });
    const sent = await server.turns.machine.readChat({ owner: 'owner', chatId });
    expect(sent.status).toBe('waiting');
    const requestId = await send(server, chatId);
    await open().db.updateTable('chats').set({ tools: '[{"kind":1}]' }).where('id', '=', chatId).execute();
    await expect
      .poll(async () => (await server.turns.receipt(requestId)).status, { timeout: 20_000 })
      .toBe('failed');
  });

  it('does not keep a client tool waiting beyond its deadline', async () => {
    await using server = await httpServer({
      store: open(),
      script: () => reply.tool('ask_user', {}),
      machine: { actionDeadlineMs: 500 },
    });
    const { chatId, requestId } = await server.begin({ ...ASK, tools: [ASK_USER] });
    await server.turns.until(chatId, 'requires_action');
    await open().db.updateTable('chats').set({ settings: '[]' }).where('id', '=', chatId).execute();
    await expect
      .poll(async () => (await server.turns.receipt(requestId)).status, { timeout: 20_000 })
      .toBe('failed');
  });
});

describeOnBothStores('a fault of the server in a turn', (open) => {
  it('ends the request as `internal`, with no detail of the fault', async () => {
    let lookups = 0;
    await using server = await httpServer({
      store: open(),
      script: () => reply.text('Hi.'),
      find: () => {
        lookups += 1;
        throw new TypeError('secret detail');
      },
    });
    const { chatId, requestId } = await server.begin(ASK);
    const receipt = await server.receipt(chatId, requestId);
    expect(receipt).toMatchObject({ status: 'failed', error: { code: 'internal' } });
    expect(JSON.stringify(receipt)).not.toContain('secret detail');
    expect(lookups).toBe(TRIES);
  });

  it('that passes does not end it', async () => {
    let lookups = 0;
    await using server = await httpServer({
      store: open(),
      script: () => submit('{"output":{"n":1}}'),
      find: (use) => {
        lookups += 1;
        if (lookups < TRIES) throw new TypeError('not yet');
        return use();
      },
    });
    const { chatId, requestId } = await server.begin(ASK);
    expect(await server.receipt(chatId, requestId)).toMatchObject({ status: 'succeeded', value: { n: 1 } });
  });
});
