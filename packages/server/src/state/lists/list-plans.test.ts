/** Cost of the filters of lists: an index on the owner in each statement, and a bound of the rows that are read. */
import { CompiledQuery, type QueryResult } from 'kysely';
import { expect, it } from 'vitest';
import type { Store } from '@truecast/store/internal/database/store';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { OWNER, prepareChat, SUCCESS, testMachine } from '../test-chats.ts';
import { listChats, type ChatFilter } from './chat-list.ts';
import { listRequests, type RequestFilter } from './request-list.ts';

const label = { key: 'team', value: 'a' };
const times = { since: 1, until: 2_000_000 };
const CHATS: readonly Partial<ChatFilter>[] = [
  { lastRequestStatus: 'failed' },
  { lastRequestStatus: 'failed', hasPreview: true, sort: 'updated' },
  { name: 'answer', model: 'm', label, ...times, q: 'x' },
];
const REQUESTS: readonly Partial<RequestFilter>[] = [
  { status: 'failed', hasPreview: true },
  { status: 'failed', model: 'm', name: 'answer', label, ...times, q: 'x' },
  { minCostUsd: 1, hasPreview: true },
];

describeOnBothStores('a filter of a list', (open) => {
  it('reads no whole table', async () => {
    const store = open();
    await prepareChat(testMachine(store), 'waiting', crypto.randomUUID());
    const { db, statements } = watched(store);
    for (const filter of CHATS) await listChats(db, { owner: OWNER, limit: 5, ...filter });
    for (const filter of REQUESTS) await listRequests(db, { owner: OWNER, limit: 5, ...filter });
    expect(statements.length).toBeGreaterThanOrEqual(CHATS.length + REQUESTS.length);
    for (const statement of statements) expect(await scansOf(store, statement)).toEqual([]);
  });

  it('by cost ends a page early, and the next page goes on after it', async () => {
    const store = open();
    const requestId = crypto.randomUUID();
    const owner = crypto.randomUUID();
    await prepareChat(testMachine(store), 'waiting', requestId);
    const row = await store.db
      .selectFrom('chat_requests')
      .selectAll()
      .where('id', '=', requestId)
      .executeTakeFirstOrThrow();
    const usage = (cost_usd: number): string =>
      JSON.stringify({
        input_tokens: 1,
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cost_usd,
      });
    const rows = Array.from({ length: 1_100 }, (_, at) => ({
      ...row,
      status: 'succeeded',
      error: null,
      value_text: SUCCESS.value_text ?? null,
      id: crypto.randomUUID(),
      owner,
      created_at: at,
      // The oldest one is the only expensive one.
      usage: usage(at === 0 ? 2 : 0.1),
    }));
    for (let at = 0; at < rows.length; at += 100) {
      await store.db
        .insertInto('chat_requests')
        .values(rows.slice(at, at + 100))
        .execute();
    }
    const first = await listRequests(store.db, { owner, limit: 10, minCostUsd: 1 });
    expect(first.requests).toEqual([]);
    expect(first.next).toMatch(/^100\./u);
    const second = await listRequests(store.db, { owner, limit: 10, minCostUsd: 1, after: first.next ?? '' });
    expect(second.requests.map(({ requestId: id }) => id)).toEqual([rows[0]?.id]);
    expect(second.next).toBeUndefined();
  });
});

/** The database, and the statements that it ran. */
function watched({ db }: Store): { readonly db: Store['db']; readonly statements: CompiledQuery[] } {
  const statements: CompiledQuery[] = [];
  const executor = db.getExecutor();
  const watching = db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      statements.push(executor.compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: watching, statements };
}

/** Steps of a plan that read all rows of a table. */
async function scansOf({ db, dialect }: Store, { sql, parameters }: CompiledQuery): Promise<string[]> {
  if (dialect === 'sqlite') {
    const plan = await explain(db, `explain query plan ${sql}`, parameters);
    return plan.filter((step) => /^SCAN (?!CONSTANT|\(subquery)/u.test(step));
  }
  // A small table is read whole whatever its indexes are, unless that is switched off.
  return await db.transaction().execute(async (transaction) => {
    await transaction.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'));
    const plan = await explain(transaction, `explain ${sql}`, parameters);
    return plan.filter((step) => step.includes('Seq Scan'));
  });
}

async function explain(
  db: Pick<Store['db'], 'executeQuery'>,
  text: string,
  parameters: readonly unknown[],
): Promise<string[]> {
  const { rows }: QueryResult<unknown> = await db.executeQuery(CompiledQuery.raw(text, [...parameters]));
  return rows.map((row) => {
    const { detail, 'QUERY PLAN': step } = row as {
      readonly detail?: string;
      readonly 'QUERY PLAN'?: string;
    };
    return detail ?? step ?? '';
  });
}
