/** Lists over all chats of an owner, the caller, and tokens over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import type {
  RequestDetailView,
  RequestPageView,
  SchemaDetailView,
  SchemaPageView,
} from '@truecast/client/internal/wire/request';
import type { ChatPageView } from '@truecast/client/internal/wire/chat';
import type { IssuedTokenView, MeView, TokenListView } from '@truecast/client/internal/wire/account';
import packageJson from '../../package.json' with { type: 'json' };
import { listAudit } from '../owners/audit-list.ts';
import { issueToken } from '../tokens/access-token.ts';
import { settleTurn, FORMAT, startServer, type TestAnswer, type TestServer } from './test-server.ts';

describeOnBothStores('the lists of an owner', ({ freshUrl }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ url: await freshUrl(), features: { subagents: true } });
  });
  afterAll(() => server.close());

  const create = async (content: string, body: object = {}): Promise<TestAnswer['json']> =>
    (await server.ask('POST', '/api/chats', { body: { content, ...body } })).json;
  const page = async (query = ''): Promise<RequestPageView> =>
    JSON.parse((await server.ask('GET', `/api/requests${query}`)).text) as RequestPageView;

  it('page through the requests of all chats, the newest first, without values', async () => {
    const ids: string[] = [];
    for (const content of ['one', 'two', 'three']) {
      const { chat, request_id } = await create(content, { response_format: FORMAT });
      ids.unshift(request_id ?? '');
      if (content !== 'three') await settleTurn(server.machine, chat.id, 'done', '{"n":1}');
    }
    await create('no format');
    const first = await page('?limit=2');
    const second = await page(`?limit=2&after=${first.next}`);
    const all = [...first.requests, ...second.requests];
    expect(all.map(({ request_id }) => request_id).toSorted()).toEqual(ids.toSorted());
    expect(second.next).toBeUndefined();
    expect(JSON.stringify(all)).not.toContain('"n":1');
    expect(all.map(({ created_at }) => created_at)).toEqual(
      all
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    );
    const succeeded = (await page('?status=succeeded')).requests;
    expect(succeeded).toHaveLength(2);
    expect(succeeded[0]).toMatchObject({ name: 'answer', message_id: 1, attempts: [{ code: 'ok' }] });
    expect(succeeded[0]?.ended_at).toMatch(/Z$/u);
    const { schema_hash: hash, created_at: time } = all[0]!;
    expect((await page(`?schema_hash=${hash}`)).requests).toHaveLength(3);
    expect((await page(`?schema_hash=none`)).requests).toEqual([]);
    expect((await page('?status=succeeded&preview=true')).requests[0]?.value_preview).toBe('{"n":1}');
    expect((await page('?name=answer')).requests).toHaveLength(3);
    expect((await page('?name=other')).requests).toEqual([]);
    expect((await page(`?until=${time}&since=${time}`)).requests).toEqual([]);
    expect((await page('?since=2020-01-01T00:00:00Z')).requests).toHaveLength(3);
    const chats = (await server.ask('GET', '/api/chats?preview=true')).json.chats;
    expect(chats.filter((chat) => 'value_preview' in chat)).toMatchObject([
      { value_preview: '{"n":1}' },
      { value_preview: '{"n":1}' },
    ]);
    expect((await server.ask('GET', '/api/chats')).text).not.toContain('value_preview');
    const other = await server.ask('GET', '/api/requests', { token: server.otherToken });
    expect(JSON.parse(other.text)).toEqual({ requests: [] });
  });

  it('read one request with its receipt and schema, until its chat is deleted', async () => {
    const { chat, request_id: id } = await create('detail', { response_format: FORMAT });
    await settleTurn(server.machine, chat.id, 'done', '{"n":7}');
    const path = `/api/requests/${id}`;
    const detail = JSON.parse((await server.ask('GET', path)).text) as RequestDetailView;
    expect(detail).toMatchObject({
      request: { request_id: id, chat_id: chat.id, status: 'succeeded' },
      receipt: { value: { n: 7 } },
    });
    expect(JSON.parse(detail.schema_text)).toMatchObject({ required: ['n'] });
    await server.ask('DELETE', `/api/chats/${chat.id}`);
    expect((await server.ask('GET', path)).json.code).toBe('request_not_found');
    expect((await page('?limit=200')).requests.map(({ request_id }) => request_id)).not.toContain(id);
  });

  it('count the requests of each schema, and read its text until its chats are deleted', async () => {
    const format = (name: string, key: string): object => ({
      type: 'json_schema',
      json_schema: { name, schema: { type: 'object', properties: { [key]: { type: 'string' } } } },
    });
    const { token } = await issueToken(server.store, { name: 'schemas' });
    const send = async (name: string, key: string): Promise<string> => {
      const body = { content: 'x', response_format: format(name, key) };
      return (await server.ask('POST', '/api/chats', { token, body })).json.chat.id;
    };
    const read = async <T>(path: string): Promise<T> =>
      JSON.parse((await server.ask('GET', `/api/schemas${path}`, { token })).text) as T;
    const first = await send('bug', 'file');
    await settleTurn(server.machine, first, 'done', '{}');
    const second = await send('defect', 'file');
    await server.ask('POST', `/api/chats/${second}/interrupt`, { token });
    const other = await send('invoice', 'total');
    const all = await read<SchemaPageView>('');
    expect(all.schemas.map(({ name, requests }) => `${name} ${requests}`).toSorted()).toEqual([
      'defect 2',
      'invoice 1',
    ]);
    const paged = await read<SchemaPageView>('?limit=1');
    const rest = await read<SchemaPageView>(`?limit=1&after=${paged.next}`);
    expect([...paged.schemas, ...rest.schemas]).toEqual(all.schemas);
    expect(rest.next).toBeUndefined();
    const bug = all.schemas.find(({ name }) => name === 'defect');
    expect(bug).toMatchObject({ succeeded: 1, failed: 0 });
    const detail = await read<SchemaDetailView>(`/${bug?.hash}`);
    expect(JSON.parse(detail.schema_text)).toMatchObject({ properties: { file: {} } });
    const path = `/api/schemas/${bug?.hash}`;
    expect((await server.ask('GET', path, { token: server.otherToken })).status).toBe(404);
    await server.ask('DELETE', `/api/chats/${other}`, { token });
    expect((await read<SchemaPageView>('')).schemas.map(({ hash }) => hash)).toEqual([bug?.hash]);
  });

  it('find chats by title and model, and take wildcards as text', async () => {
    await create('x', { title: 'Grüße 100% sicher', model: 'scripted:b' });
    await create('x', { title: 'Other' });
    const titles = async (query: string): Promise<readonly string[]> =>
      (await server.ask('GET', `/api/chats?${query}`)).json.chats.map(({ title }) => title);
    expect(await titles('q=100%25%20SICHER')).toEqual(['Grüße 100% sicher']);
    expect(await titles('q=1_0')).toEqual([]);
    expect(await titles('model=scripted:b')).toEqual(['Grüße 100% sicher']);
    expect(await titles('q=oth&model=scripted:b')).toEqual([]);
  });

  it('search requests by the name of the schema and the title of the chat', async () => {
    const { token } = await issueToken(server.store, { name: 'search' });
    const send = (title: string, name: string): Promise<TestAnswer> => {
      const response_format = { type: 'json_schema', json_schema: { name, schema: { type: 'object' } } };
      return server.ask('POST', '/api/chats', { token, body: { content: 'x', title, response_format } });
    };
    const [, bill] = [await send('One bug', 'defect'), await send('Last 100%', 'Invoice_2')];
    const found = async (q: string, as = token): Promise<readonly (string | undefined)[]> => {
      const { text } = await server.ask('GET', `/api/requests?q=${encodeURIComponent(q)}`, { token: as });
      return (JSON.parse(text) as RequestPageView).requests.map(({ name }) => name);
    };
    expect(await found('invoice_')).toEqual(['Invoice_2']);
    expect(await found('BUG')).toEqual(['defect']);
    expect(await found('100%')).toEqual(['Invoice_2']);
    expect(await found('d_f')).toEqual([]);
    expect(await found('invoice', server.otherToken)).toEqual([]);
    await server.ask('DELETE', `/api/chats/${bill.json.chat.id}`, { token });
    expect(await found('invoice')).toEqual([]);
    expect((await server.ask('GET', '/api/requests?q=', { token })).json.field).toBe('q');
  });

  it('list chats by their last change, in pages', async () => {
    const { token } = await issueToken(server.store, { name: 'sorted' });
    const ids: string[] = [];
    for (const content of ['one', 'two', 'three']) {
      ids.push((await server.ask('POST', '/api/chats', { token, body: { content } })).json.chat.id);
    }
    // The clock of a test does not always advance between two commits.
    await Promise.all(
      ids.map((id, index) =>
        server.store.db
          .updateTable('chats')
          .set({ created_at: index, updated_at: [5, 9, 9][index]! })
          .where('id', '=', id)
          .execute(),
      ),
    );
    const list = async (query: string): Promise<ChatPageView> =>
      JSON.parse((await server.ask('GET', `/api/chats?${query}`, { token })).text) as ChatPageView;
    const sorted = ids.slice(1).toSorted().toReversed().concat(ids.slice(0, 1));
    const idsOf = ({ chats }: ChatPageView): readonly string[] => chats.map(({ id }) => id);
    expect(idsOf(await list('sort=updated'))).toEqual(sorted);
    expect(idsOf(await list(''))).toEqual(ids.toReversed());
    const first = await list('sort=updated&limit=1');
    const second = await list(`sort=updated&limit=1&after=${first.next}`);
    const third = await list(`sort=updated&limit=1&after=${second.next}`);
    expect([first, second, third].flatMap(idsOf)).toEqual(sorted);
    expect(third.next).toBeUndefined();
  });

  it('tell any token who it is, and what the server can do', async () => {
    const { token } = await issueToken(server.store, { name: 'scraper', owner: 'p', scopes: ['metrics'] });
    const me = JSON.parse((await server.ask('GET', '/api/me', { token })).text) as MeView;
    expect(me).toEqual({
      owner: 'p',
      token_name: 'scraper',
      scopes: ['metrics'],
      server_version: packageJson.version,
      features: {
        workspace: false,
        agents: false,
        subagents: true,
        web_search: false,
        connect_models: false,
      },
      limits: { requests_per_minute: 600, concurrent_requests: 64, open_streams: 32 },
    });
  });

  it('let an admin create, list and revoke tokens, with rows in the audit log', async () => {
    const { token: admin, id } = await issueToken(server.store, { name: 'root', scopes: ['admin'] });
    const asked = { name: 'ci', owner: 'team', scopes: ['chats'], expires_in_seconds: 60 };
    const made = await server.ask('POST', '/api/tokens', { token: admin, body: asked });
    expect(made.status).toBe(201);
    const issued = JSON.parse(made.text) as IssuedTokenView;
    const statusOf = async (): Promise<number> =>
      (await server.ask('GET', '/api/chats', { token: issued.token })).status;
    expect(await statusOf()).toBe(200);
    const { text } = await server.ask('GET', '/api/tokens', { token: admin });
    expect((JSON.parse(text) as TokenListView).tokens.map(({ name }) => name)).toContain('ci');
    expect(text).not.toContain(issued.token);
    const path = `/api/tokens/${issued.id}`;
    expect((await server.ask('DELETE', path, { token: admin })).status).toBe(204);
    expect((await server.ask('DELETE', path, { token: admin })).status).toBe(404);
    expect(await statusOf()).toBe(401);
    const actor = `token:${id}`;
    expect(await listAudit(server.store.db, { owner: 'team', limit: 2 })).toMatchObject([
      { action: 'token_revoked', actor },
      { action: 'token_created', actor },
    ]);
  });
});
