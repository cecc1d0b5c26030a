/** Share links of receipts over real HTTP: receipts that a key opens, and those that it does not. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IssuedShareView, SharedReceiptView, ShareListView } from '@truecast/client/internal/wire/share';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { listAudit } from '../owners/audit-list.ts';
import { FORMAT, settleTurn, startServer, type TestAnswer, type TestServer } from './test-server.ts';

describeOnBothStores('a share link', ({ freshUrl }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ url: await freshUrl() });
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  async function makeReceipt(): Promise<{ readonly chatId: string; readonly id: string }> {
    const body = { content: 'a question with a name', response_format: FORMAT };
    const { chat, request_id: id } = (await server.ask('POST', '/api/chats', { body })).json;
    await settleTurn(server.machine, chat.id, 'done', '{"n":1}');
    return { chatId: chat.id, id };
  }
  async function share(id: string, body: object = {}): Promise<IssuedShareView> {
    const answer = await server.ask('POST', `/api/requests/${id}/shares`, { body });
    expect(answer.status).toBe(201);
    return JSON.parse(answer.text) as IssuedShareView;
  }
  const read = (key: string | null): Promise<TestAnswer> =>
    server.ask('GET', '/api/shared_receipt', { token: key });
  const listed = async (id: string): Promise<ShareListView['shares']> =>
    (JSON.parse((await server.ask('GET', `/api/requests/${id}/shares`)).text) as ShareListView).shares;

  it('shows one receipt with its schema, and no message of its chat, to a reader without a token', async () => {
    const { id } = await makeReceipt();
    const { key, expires_at: expiry, created_at: created } = await share(id);
    expect(key).toMatch(/^tcr_[\w-]{43}$/u);
    expect(Date.parse(expiry) - Date.parse(created)).toBe(7 * 24 * 3_600_000);
    const { status, text, headers } = await read(key);
    expect(status).toBe(200);
    const shown = JSON.parse(text) as SharedReceiptView;
    expect(Object.keys(shown).toSorted()).toEqual(['expires_at', 'receipt', 'schema_text']);
    expect(shown.receipt).toMatchObject({ request_id: id, status: 'succeeded', value: { n: 1 } });
    expect(text).not.toContain('a question with a name');
    expect(text).not.toContain('chat_id');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(headers.has('set-cookie')).toBe(false);
  });

  it('is opened by its whole key alone, which opens nothing else', async () => {
    const { id, chatId } = await makeReceipt();
    const { key } = await share(id);
    const guesses = [
      null,
      server.token,
      key.slice(0, -1),
      `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`,
      key.replace('tcr_', 'tc_'),
      key.replace('tcr_', 'tcs_'),
      `tcr_${'A'.repeat(43)}`,
    ];
    const answers = await Promise.all(guesses.map(read));
    expect(answers.map(({ status }) => status)).toEqual(guesses.map(() => 404));
    // The id of the request differs from answer to answer.
    expect(new Set(answers.map(({ json }) => json.detail))).toHaveLength(1);
    const others = [
      ['GET', '/api/me'],
      ['POST', '/api/session'],
      ['GET', `/api/requests/${id}`],
      ['GET', `/api/requests/${id}/shares`],
      ['POST', `/api/requests/${id}/shares`],
      ['GET', `/api/chats/${chatId}`],
      ['DELETE', `/api/chats/${chatId}`],
      ['GET', '/metrics'],
    ] as const;
    for (const [method, path] of others) {
      expect((await server.ask(method, path, { token: key })).status, path).toBe(401);
    }
  });

  it('belongs to the owner of its receipt', async () => {
    const { id } = await makeReceipt();
    const { id: shareId, key } = await share(id);
    const asOther = async (method: string, path: string): Promise<number> =>
      (await server.ask(method, path, { token: server.otherToken, ...(method === 'POST' && { body: {} }) }))
        .status;
    expect(await asOther('POST', `/api/requests/${id}/shares`)).toBe(404);
    expect(await asOther('GET', `/api/requests/${id}/shares`)).toBe(404);
    expect(await asOther('DELETE', `/api/requests/${id}/shares/${shareId}`)).toBe(404);
    const { id: another } = await makeReceipt();
    const wrong = await server.ask('DELETE', `/api/requests/${another}/shares/${shareId}`);
    expect(wrong.status).toBe(404);
    expect((await read(key)).status).toBe(200);
  });

  it('ends when it is revoked, and the other links of the receipt remain', async () => {
    const { id } = await makeReceipt();
    const [one, other] = [await share(id), await share(id, { expires_in_seconds: 60 })];
    expect(await listed(id)).toHaveLength(2);
    const path = `/api/requests/${id}/shares/${one.id}`;
    expect((await server.ask('DELETE', path)).status).toBe(204);
    expect((await server.ask('DELETE', path)).status).toBe(404);
    expect((await read(one.key)).status).toBe(404);
    expect((await read(other.key)).status).toBe(200);
    expect(await listed(id)).toEqual([
      { id: other.id, created_at: other.created_at, expires_at: other.expires_at },
    ]);
    const audit = await listAudit(server.store.db, { limit: 3 });
    expect(audit.map(({ action, subject }) => [action, subject])).toEqual([
      ['share_revoked', id],
      ['receipt_shared', id],
      ['receipt_shared', id],
    ]);
  });

  it('ends at its expiry, and its row goes with the next link', async () => {
    const { id } = await makeReceipt();
    const { key } = await share(id);
    await server.store.db.updateTable('receipt_shares').set({ expires_at: Date.now() }).execute();
    expect((await read(key)).status).toBe(404);
    expect(await listed(id)).toEqual([]);
    await share(id);
    expect(await rowsOf(id)).toHaveLength(1);
    for (const seconds of [59, 2_592_001, 1.5, null]) {
      const body = { expires_in_seconds: seconds };
      expect((await server.ask('POST', `/api/requests/${id}/shares`, { body })).status).toBe(400);
    }
  });

  it('ends with the chat of its receipt', async () => {
    const { id, chatId } = await makeReceipt();
    const { key } = await share(id);
    expect((await server.ask('DELETE', `/api/chats/${chatId}`)).status).toBe(204);
    expect((await read(key)).status).toBe(404);
    expect(await rowsOf(id)).toEqual([]);
    expect((await server.ask('POST', `/api/requests/${id}/shares`, { body: {} })).status).toBe(404);
  });

  it('is stored as a hash', async () => {
    const { id } = await makeReceipt();
    const { key } = await share(id);
    const [row] = await rowsOf(id);
    expect(row?.hash).toMatch(/^[\da-f]{64}$/u);
    expect(JSON.stringify(row)).not.toContain(key.slice(4));
  });

  const rowsOf = (id: string) =>
    server.store.db.selectFrom('receipt_shares').selectAll().where('request_id', '=', id).execute();
});
