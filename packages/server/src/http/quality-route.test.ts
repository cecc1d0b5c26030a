/** Quality report over HTTP, and over 5,000 requests. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import type { QualityView } from '@truecast/client/internal/wire/quality';
import { rowChunks } from '@truecast/store/internal/row-chunks';
import { readAnswers } from '../quality/quality-rows.ts';
import { readQuality } from '../quality/read-quality.ts';
import { answerTurn, FORMAT, startServer, type TestServer } from './test-server.ts';

describeOnBothStores('the quality report', ({ freshUrl }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ url: await freshUrl() });
  });
  afterAll(() => server.close());

  const report = async (query = ''): Promise<QualityView> =>
    JSON.parse((await server.ask('GET', `/api/quality${query}`)).text) as QualityView;

  it('is of the ended requests of its owner, without those of deleted chats', async () => {
    const none = await report();
    expect(none).toMatchObject({ totals: { answers: 0 }, rows: [], fields: [], is_complete: true });
    expect(none).toMatchObject({ bucket: 'day', by: 'model', sources: ['chats'] });
    const ids: string[] = [];
    for (const content of ['one', 'two', 'open']) {
      const { json } = await server.ask('POST', '/api/chats', { body: { content, response_format: FORMAT } });
      ids.push(json.chat.id);
      if (content !== 'open') await answerTurn(server.machine, json.chat.id, 'done', '{"n":1}');
    }
    expect((await report('?by=name')).rows).toMatchObject([
      { key: 'answer', answers: 2, first_try_share: 1 },
    ]);
    expect((await report('?name=other')).totals.answers).toBe(0);
    expect((await report('?until=2020-01-01T00:00:00Z')).totals.answers).toBe(0);
    const other = await server.ask('GET', '/api/quality', { token: server.otherToken });
    expect((JSON.parse(other.text) as QualityView).totals.answers).toBe(0);
    await server.ask('DELETE', `/api/chats/${ids[0]}`);
    expect((await report()).totals.answers).toBe(1);
    const wrong = await server.ask(
      'GET',
      '/api/quality?since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z',
    );
    expect([wrong.status, wrong.json.field]).toEqual([400, 'since']);
  });

  it('reads 5,000 requests in pages, and stops at its limit', async () => {
    const { db } = server.store;
    const chat = await db.selectFrom('chats').selectAll().limit(1).executeTakeFirstOrThrow();
    const request = await db.selectFrom('chat_requests').selectAll().limit(1).executeTakeFirstOrThrow();
    const failed = [{ code: 'invalid', issues: [{ path: '/n', rule: 'Expected integer' }] }, { code: 'ok' }];
    const rows = Array.from({ length: 5_000 }, (_each, index) => ({
      ...request,
      id: `many-${index}`,
      chat_id: chat.id,
      owner: 'many',
      status: 'succeeded',
      model: `model-${index % 3}`,
      value_text: '1',
      erased: 0 as const,
      attempts: JSON.stringify(index % 10 === 0 ? failed : [{ code: 'ok' }]),
      created_at: 1_000 + Math.floor(index / 2),
      started_at: 1_000,
      ended_at: 10_000,
    }));
    for (const chunk of rowChunks(rows)) await db.insertInto('chat_requests').values(chunk).execute();
    const filter = { owner: 'many', since: 0, until: 1_000_000 };
    const sizes: number[] = [];
    for await (const page of readAnswers(db, filter, 20_000)) sizes.push(page.length);
    expect(sizes).toEqual([...Array.from({ length: 10 }, () => 500), 0]);
    const all = await readQuality(db, { ...filter, by: 'model' });
    expect(all).toMatchObject({
      is_complete: true,
      totals: { answers: 5_000, first_try: 4_500, valid: 5_000 },
    });
    expect(all.fields.reduce((sum, field) => sum + field.failed, 0)).toBe(500);
    expect(all.rows).toHaveLength(3);
    const some = await readQuality(db, { ...filter, by: 'model', maxRows: 1_000 });
    expect(some).toMatchObject({ is_complete: false, totals: { answers: 1_000 } });
  });
});
