/** Sums of quality reports, compared with reports that read every row. */
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { matrixColumns } from '../../../../test/matrix.ts';
import { rowChunks } from '@truecast/store/internal/row-chunks';
import type { Store } from '@truecast/store/internal/database/store';
import type { QualityView } from '@truecast/client/internal/wire/quality';
import { readQuality, type QualityQuery } from '../quality/read-quality.ts';
import { FORMAT, startServer, type TestServer } from './test-server.ts';

const HOUR = 3_600_000;
const START = 500_000 * HOUR;
/** 100 hours, of which the last row has just ended. */
const ROWS = 3_000;
const END = START + ROWS * 120_000;

/** Counts the rows of requests that are read. */
function counting(store: Store): { readonly store: Store; readonly reads: { rows: number } } {
  const reads = { rows: 0 };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      reads.rows += result.rows.filter((row) => 'attempts' in row && 'mode' in row).length;
      return result;
    },
  };
  const transaction: Store['transaction'] = (work) =>
    store.transaction((tx) => work({ ...tx, db: tx.db.withPlugin(plugin) }));
  return { reads, store: { ...store, db: store.db.withPlugin(plugin), transaction } };
}

async function insertRequests({ db }: Store, chatId: string): Promise<void> {
  const request = await db.selectFrom('chat_requests').selectAll().limit(1).executeTakeFirstOrThrow();
  const failed = [{ code: 'invalid', issues: [{ path: '/n/3', rule: 'Expected integer' }] }, { code: 'ok' }];
  const rows = Array.from({ length: ROWS }, (_each, index) => {
    const time = START + index * 120_000;
    const isValid = index % 7 !== 0;
    return {
      ...request,
      id: `sum-${String(index).padStart(5, '0')}`,
      chat_id: chatId,
      owner: 'sums',
      erased: 0 as const,
      name: `name-${index % 3}`,
      schema_hash: 'h',
      mode: 'native',
      value_hash: null,
      model: index % 2 === 0 ? 'even' : null,
      status: isValid ? 'succeeded' : 'failed',
      value_text: isValid ? '1' : null,
      error: isValid ? null : '{}',
      attempts: JSON.stringify(index % 10 === 0 ? failed : index % 11 === 0 ? [] : [{ code: 'ok' }]),
      usage: index % 4 === 0 ? JSON.stringify({ cost_usd: 0.25 }) : null,
      created_at: time,
      started_at: time,
      ended_at: time + 1_000 + (index % 40) * 250,
    };
  });
  for (const chunk of rowChunks(rows)) await db.insertInto('chat_requests').values(chunk).execute();
}

/** Beside the query for all rows. The short form tries each on one database. */
const QUERIES: readonly Partial<QualityQuery>[] = [
  { since: START + 12_345, bucket: 'hour', by: 'name' },
  { since: START + 30 * HOUR + 1, until: START + 71 * HOUR + 59 },
  { since: START + 12_345, until: START + 24 * HOUR, name: 'name-1', by: 'mode' },
  { since: START + 10, until: START + 20 },
  { since: 0, bucket: 'week', model: 'even', by: 'schema_hash' },
];

describeOnBothStores('sums of a quality report', ({ row, freshUrl }) => {
  const queries = [{}, ...matrixColumns(row, QUERIES, { rows: 2 })];
  let server: TestServer;
  let chatId: string;
  beforeAll(async () => {
    server = await startServer({ url: await freshUrl() });
    const { json } = await server.ask('POST', '/api/chats', {
      body: { content: 'x', response_format: FORMAT },
    });
    chatId = json.chat.id;
    await insertRequests(server.store, chatId);
  });
  afterAll(() => server.close());

  const report = (store: Store, nowMs: number, query: Partial<QualityQuery> = {}): Promise<QualityView> =>
    readQuality(
      { store, now: () => nowMs },
      { owner: 'sums', since: START, until: END, by: 'model', sources: ['chats'], ...query },
    );

  it('are those of the rows, and only rows outside of whole hours are read', async () => {
    const exact: QualityView[] = [];
    // At this time no request has ended long enough ago.
    for (const query of queries) exact.push(await report(server.store, 0, query));
    const { store, reads } = counting(server.store);
    expect(await report(store, END)).toEqual(exact[0]);
    expect(reads.rows).toBeGreaterThanOrEqual(ROWS);
    for (const [at, query] of queries.entries()) {
      reads.rows = 0;
      expect(await report(store, END, query)).toEqual(exact[at]);
      expect(reads.rows).toBeLessThan(100);
    }
    expect(exact[0]?.totals).toMatchObject({ answers: 2_755, unanswered: 245, cost_usd: 187.5 });
    // Times are 1 to 10.75 seconds in equal shares.
    for (const { p50_ms: p50 = 0, p95_ms: p95 = 0 } of exact
      .slice(0, 1)
      .flatMap(({ totals, rows }) => [totals, ...rows])) {
      expect(Math.abs(p50 / 5_875 - 1)).toBeLessThan(0.07);
      expect(Math.abs(p95 / 10_375 - 1)).toBeLessThan(0.07);
    }
  });

  it('are counted again without the requests of a deleted chat', async () => {
    const before = await report(server.store, END);
    await server.ask('DELETE', `/api/chats/${chatId}`);
    const after = await report(server.store, END);
    expect([before.totals.answers, after.totals.answers]).toEqual([2_755, 0]);
    expect(await server.store.db.selectFrom('quality_sums').selectAll().execute()).toEqual([]);
  });

  it('contain each request once if two reports are read at the same time', async () => {
    const { json } = await server.ask('POST', '/api/chats', {
      body: { content: 'y', response_format: FORMAT },
    });
    await server.store.db.deleteFrom('chat_requests').where('owner', '=', 'sums').execute();
    await insertRequests(server.store, json.chat.id);
    const [one, other] = await Promise.all([report(server.store, END), report(server.store, END)]);
    expect([one.totals, other.totals]).toEqual(Array(2).fill((await report(server.store, 0)).totals));
  });
});
