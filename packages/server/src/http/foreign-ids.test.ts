/** Ids, keys and cursors of one owner, sent by another: the answers to unknown ones, byte for byte. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { settleTurn, FORMAT, startServer, type TestRequest, type TestServer } from './test-server.ts';

describeOnBothStores('foreign ids', ({ freshUrl }) => {
  let server: TestServer;
  /** Values of the first owner, by the name of their placeholder. */
  let mine: Readonly<Record<string, string>>;

  beforeAll(async () => {
    server = await startServer({ url: await freshUrl(), limits: { requestsPerMinute: 100_000 } });
    const create = (n: number) =>
      server.ask('POST', '/api/chats', {
        body: { content: 'private', title: `private ${n}`, client_id: `page-${n}`, response_format: FORMAT },
        headers: { 'idempotency-key': `key-${n}` },
      });
    const { chat, request_id: rid } = (await create(1)).json;
    await settleTurn(server.machine, chat.id, 'private', '{"n":1}');
    await create(2);
    const pages = await Promise.all(
      ['chats', 'requests'].map((list) => server.ask('GET', `/api/${list}?limit=1`)),
    );
    const [chats = '', requests = ''] = pages.map(({ text }) => nextOf(text));
    expect([chats, requests]).not.toContain('');
    const hash = /"hash":"([^"]+)"/u.exec((await server.ask('GET', '/api/schemas')).text)?.[1] ?? '';
    expect(hash).not.toBe('');
    mine = { id: chat.id, rid, hash, chats, requests, page: 'page-1' };
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  function nextOf(page: string): string {
    return /"next":"([^"]+)"/u.exec(page)?.[1] ?? '';
  }

  /** Placeholders with values that no owner has, of the same form. */
  const unknownOf = (value: string, name: string): string =>
    name === 'page' ? 'page-9' : value.replaceAll(/[0-9a-f](?=[0-9a-f-]{0,12}$)/giu, '0');

  async function ask(target: string, isForeign: boolean, options: TestRequest = {}): Promise<string> {
    const used: string[] = [];
    const path = target.replaceAll(/\{(\w+)\}/gu, (_match, name: string) => {
      const value = mine[name] ?? '';
      const unknown = unknownOf(value, name);
      expect(unknown).not.toBe(value);
      used.push(isForeign ? value : unknown);
      return used.at(-1) ?? '';
    });
    const [method = '', address = ''] = path.split(' ');
    const { status, headers, text } = await server.ask(method, address, {
      token: server.otherToken,
      ...options,
    });
    const seen = { status, type: headers.get('content-type'), replayed: headers.get('idempotency-replayed') };
    const body = used.reduce((left, value) => left.replaceAll(value, 'ID'), text);
    return JSON.stringify([seen, body.replaceAll(/"http_request_id":"[^"]+"/gu, '')]);
  }

  describe.each<[string, TestRequest?]>([
    ['GET /api/requests/{rid}'],
    ['GET /api/requests/{rid}?x=1'],
    ['GET /api/schemas/{hash}'],
    ['GET /api/requests?schema_hash={hash}'],
    ['GET /api/requests?after={requests}'],
    ['GET /api/chats?after={chats}'],
    ['GET /api/chats?q=private'],
    ['GET /api/requests?q=private&preview=true'],
    ['GET /api/chats/~{page}'],
    ['DELETE /api/chats/~{page}'],
    ['GET /api/chats/{id}/stream', { headers: { 'last-event-id': '1' } }],
    ['GET /api/chats/{id}/stream', { headers: { 'last-event-id': '999999' } }],
    ['GET /api/chats/{id}/stream?after=x'],
    ['GET /api/chats/{id}/messages?after=1'],
    ['GET /api/chats/{id}/requests/{rid}?wait=1'],
    ['POST /api/chats/{id}/messages', { raw: '{' }],
    ['POST /api/chats/{id}/messages', { body: {} }],
    ['POST /api/chats/{id}/messages', { body: { content: 'x', response_format: FORMAT, plan_mode: true } }],
    ['POST /api/chats/{id}/messages', { body: { content: 'x' }, headers: { 'idempotency-key': 'key-1' } }],
    ['PATCH /api/chats/{id}', { body: { model: 'none' } }],
    ['POST /api/chats/{id}/tool_results', { body: { results: [] } }],
  ])('%s %j', (target, options) => {
    it('gets the answer to an unknown id', async () => {
      const foreign = await ask(target, true, options);
      expect(foreign).toBe(await ask(target, false, options));
      expect(foreign).not.toContain('private 1');
      expect(foreign).not.toContain(mine['id']);
    });
  });

  it('a key of another owner creates a new chat', async () => {
    const { status, json, headers } = await server.ask('POST', '/api/chats', {
      body: { content: 'private', title: 'private 1', client_id: 'page-1', response_format: FORMAT },
      headers: { 'idempotency-key': 'key-1' },
      token: server.otherToken,
    });
    expect([status, headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(json.chat.id).not.toBe(mine['id']);
  });
});
