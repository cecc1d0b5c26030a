/** Labels of chats over HTTP: set, changed, searched, and erased with their chat. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChatPageView } from '@truecast/client/internal/wire/chat';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { startServer, type TestServer } from './test-server.ts';

describeOnBothStores('the labels of a chat', ({ freshUrl }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ url: await freshUrl() });
  });
  afterAll(() => server.close());

  const create = async (labels?: object): Promise<string> =>
    (await server.ask('POST', '/api/chats', { body: { content: 'x', ...(labels && { labels }) } })).json.chat
      .id;
  const idsOf = async (label: string, token?: string): Promise<readonly string[]> => {
    const path = `/api/chats?label=${encodeURIComponent(label)}`;
    const { text } = await server.ask('GET', path, { ...(token !== undefined && { token }) });
    return (JSON.parse(text) as ChatPageView).chats.map(({ id }) => id);
  };

  it('find their chats by the whole pair, for its owner only', async () => {
    const billing = await create({ team: 'billing', 'example.com/env': 'prod' });
    const other = await create({ team: 'billing-eu' });
    const odd = await create({ team: '100%_"x":"y"\\' });
    await create();
    expect(await idsOf('team:billing')).toEqual([billing]);
    expect(await idsOf('example.com/env:prod')).toEqual([billing]);
    expect(await idsOf('team:billing-eu')).toEqual([other]);
    expect(await idsOf('team:100%_"x":"y"\\')).toEqual([odd]);
    for (const none of ['team:BILLING', 'team:bill', 'x:y', 'env:prod', 'team:%']) {
      expect([none, await idsOf(none)]).toEqual([none, []]);
    }
    expect(await idsOf('team:billing', server.otherToken)).toEqual([]);
  });

  it('are part of the chat, replaced as a whole, and absent if there are none', async () => {
    const path = `/api/chats/${await create({ team: 'a', stage: 'test' })}`;
    expect((await server.ask('GET', path)).json).toMatchObject({ labels: { stage: 'test', team: 'a' } });
    const changed = await server.ask('PATCH', path, { body: { labels: { team: 'b' } } });
    expect(JSON.parse(changed.text)).toMatchObject({ labels: { team: 'b' } });
    await server.ask('PATCH', path, { body: { title: 'T' } });
    expect(await idsOf('team:b')).toHaveLength(1);
    const removed = await server.ask('PATCH', path, { body: { labels: {} } });
    expect(removed.json).not.toHaveProperty('labels');
    expect(await idsOf('team:b')).toEqual([]);
  });

  it('are erased with their chat', async () => {
    const id = await create({ team: 'erased' });
    await server.ask('DELETE', `/api/chats/${id}`);
    const row = await server.store.db
      .selectFrom('chats')
      .select('labels')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.labels).toBeNull();
  });

  it.each([
    [Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v'])), 'labels'],
    [{ 'a b': 'x' }, 'labels'],
    [{ a: 'x'.repeat(257) }, 'labels'],
    [{ a: 1 }, 'labels'],
  ])('are refused: %o', async (labels, field) => {
    const { status, json } = await server.ask('POST', '/api/chats', { body: { content: 'x', labels } });
    expect([status, json.code, json.field]).toEqual([400, 'invalid_body', field]);
  });

  it('need a key and a value in a search', async () => {
    const { status, json } = await server.ask('GET', '/api/chats?label=team');
    expect([status, json.code, json.field]).toEqual([400, 'invalid_parameter', 'label']);
  });
});
