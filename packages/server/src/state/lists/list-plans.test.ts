/** Cost of lists: an index on the owner in each statement, no sort, and no earlier page that is read again. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Store } from '@truecast/store/internal/database/store';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { OWNER, prepareChat, testMachine } from '../test-chats.ts';
import { listChats, type ChatFilter } from './chat-list.ts';
import { listRequests, type RequestFilter } from './request-list.ts';
import { allPages, scansOf, watched, workOf } from './test-plans.ts';

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
});

describeOnBothStores('an ordered list', (open) => {
  it.each(SORTS)('by %s goes on after its page, and leaves out what has no number', async (sort) => {
    const { store, owner, numbers } = await numbered(open(), 30);
    for (const direction of ['desc', 'asc'] as const) {
      const sign = direction === 'asc' ? 1 : -1;
      // Several rows have each number: their ids are the rest of the order.
      const expected = numbers
        .filter((each) => each[sort] !== null)
        .toSorted((a, b) => sign * ((a[sort] ?? 0) - (b[sort] ?? 0) || (a.requestId < b.requestId ? -1 : 1)));
      const requests = await allPages(async (after) => {
        const { requests: read, next } = await listRequests(store.db, {
          owner,
          limit: 7,
          sort,
          direction,
          ...after,
        });
        return { ids: read.map(({ requestId }) => requestId), next };
      });
      expect(requests).toEqual(expected.map(({ requestId }) => requestId));
      const chats = await allPages(async (after) => {
        const { chats: read, next } = await listChats(store.db, {
          owner,
          limit: 7,
          sort,
          direction,
          ...after,
        });
        return { ids: read.map(({ id }) => id), next };
      });
      expect(chats.toSorted()).toEqual(expected.map(({ chatId }) => chatId).toSorted());
      const inOrder = chats.map((id) => numbers.find(({ chatId }) => chatId === id)?.[sort]);
      expect(inOrder).toEqual(expected.map((each) => each[sort]));
    }
  });

  it('reads the rows of its page alone, whatever the filters and the page', async () => {
    const { store, owner } = await numbered(open(), 2_000);
    if (store.dialect === 'postgres') await sql`analyze chats, chat_requests`.execute(store.db);
    const { db, statements } = watched(store);
    const page = { owner, limit: 5, after: `3.${'8'.repeat(36)}` };
    for (const sort of SORTS) {
      for (const direction of ['desc', 'asc'] as const) {
        await listChats(db, { ...page, sort, direction });
        await listChats(db, { ...page, sort, direction, since: 1, minCostUsd: 0 });
        await listRequests(db, { ...page, sort, direction });
        await listRequests(db, { ...page, sort, direction, since: 1, schemaHash: 'hash', minCostUsd: 0 });
      }
    }
    await listChats(db, page);
    await listRequests(db, { ...page, minCostUsd: 0 });
    expect(statements.length).toBeGreaterThanOrEqual(26);
    for (const statement of statements) {
      const { sorts, isSought, rows } = await workOf(store, statement);
      expect({ sql: statement.sql, sorts, isSought }).toEqual({
        sql: statement.sql,
        sorts: [],
        isSought: true,
      });
      // SQLite counts no rows. Its plan has the place where it begins.
      if (rows !== undefined) expect(rows).toBeLessThanOrEqual(6);
    }
  });
});

const SORTS = ['cost', 'duration', 'attempts'] as const;

interface Numbered {
  readonly requestId: string;
  readonly chatId: string;
  readonly cost: number | null;
  readonly duration: number | null;
  readonly attempts: number | null;
}

/** Chats with one request each. Every sixth one has no numbers, as if it was still open. */
async function numbered(
  store: Store,
  count: number,
): Promise<{ readonly store: Store; readonly owner: string; readonly numbers: readonly Numbered[] }> {
  const owner = crypto.randomUUID();
  const firstId = crypto.randomUUID();
  const { chatId: first } = await prepareChat(testMachine(store), 'waiting', firstId);
  const request = await store.db
    .selectFrom('chat_requests')
    .selectAll()
    .where('id', '=', firstId)
    .executeTakeFirstOrThrow();
  const chat = await store.db
    .selectFrom('chats')
    .selectAll()
    .where('id', '=', first)
    .executeTakeFirstOrThrow();
  const numbers = Array.from({ length: count }, (_, at): Numbered => {
    const isOpen = at % 6 === 5;
    return {
      requestId: crypto.randomUUID(),
      chatId: crypto.randomUUID(),
      cost: isOpen ? null : (at * 7) % 5,
      duration: isOpen ? null : (at * 5) % 7,
      attempts: isOpen ? null : 1 + (at % 4),
    };
  });
  for (let at = 0; at < count; at += 100) {
    const some = numbers.slice(at, at + 100);
    await store.db
      .insertInto('chats')
      .values(
        some.map(({ chatId: id, cost, duration, attempts }, index) => ({
          ...chat,
          id,
          owner,
          created_at: at + index + 1,
          last_cost_micro_usd: cost,
          last_duration_ms: duration,
          last_attempts: attempts,
        })),
      )
      .execute();
    await store.db
      .insertInto('chat_requests')
      .values(
        some.map(({ requestId: id, chatId, cost, duration, attempts }, index) => ({
          ...request,
          id,
          chat_id: chatId,
          owner,
          created_at: at + index + 1,
          cost_micro_usd: cost,
          duration_ms: duration,
          attempt_count: attempts,
        })),
      )
      .execute();
  }
  return { store, owner, numbers };
}
