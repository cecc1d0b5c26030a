/** Lists of rows with large texts: what they read, and what they leave in the database. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '@truecast/store/internal/open-store';
import type { Store } from '@truecast/store/internal/database/store';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { listSchemas } from '../../quality/schema-list.ts';
import { listRequests } from './request-list.ts';
import { OWNER, prepareChat, testMachine, toolStep, type TestMachine } from '../test-chats.ts';

describeOnBothStores('lists of large rows', (open) => {
  it('read and parse neither values nor schemas of requests', async () => {
    const machine = testMachine(open());
    const { owner } = await largeRequests(open(), machine, { count: 3, chars: 1_000 });
    const listed = { owner, limit: 10 };
    const { requests } = await machine.listRequests({ ...listed, hasPreview: true });
    expect(requests.map(({ valuePreview }) => valuePreview)).toEqual(Array(3).fill('no JSON'.padEnd(160)));
    expect(requests[0]).toMatchObject({ status: 'succeeded', receipt: { name: 'answer', attempts: [] } });
    expect((await machine.listRequests(listed)).requests.some((each) => 'valuePreview' in each)).toBe(false);
    const { requests: changed } = await machine.ownerChanges({ owner, since: 0, limit: 10 });
    expect(changed).toHaveLength(3);
  });

  it('read few large requests in one turn of the event loop, each one once', async () => {
    const store = open();
    const { owner } = await largeRequests(store, testMachine(store), { count: 70, chars: 1_000 });
    const reads: number[] = [];
    const counted = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        reads.push(result.rows.length);
        return result;
      },
    });
    let turns = 0;
    let isOver = false;
    const countTurn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    const { requests, next } = await listRequests(counted, { owner, limit: 60, hasPreview: true });
    isOver = true;
    expect(reads).toHaveLength(7);
    expect(Math.max(...reads)).toBeLessThanOrEqual(20);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(60);
    const rest = await listRequests(counted, {
      owner,
      limit: 60,
      ...(next !== undefined && { after: next }),
    });
    expect(rest).toMatchObject({ requests: { length: 10 } });
    expect(rest.next).toBeUndefined();
  });

  it('end a page of long messages early, without losing one', async () => {
    const machine = testMachine(open());
    const { chatId, fence } = await prepareChat(machine, 'running');
    const text = 'x'.repeat(700_000);
    const long = Array.from({ length: 7 }, () => ({
      role: 'assistant' as const,
      parts: [{ type: 'text' as const, text }],
    }));
    await machine.commitStep(fence, { ...toolStep('c', 'server'), messages: long, calls: [] });
    const all = (await machine.listMessages({ owner: OWNER, chatId, limit: 2, after: 0 })).messages;
    const page = (edge: object) => machine.listMessages({ owner: OWNER, chatId, limit: 50, ...edge });
    const [forward, backward]: number[][] = [[], []];
    for (let more = true; more;) {
      const { messages, hasMore } = await page({ after: forward!.at(-1) ?? 0 });
      expect(messages.length).toBeLessThanOrEqual(6);
      forward!.push(...messages.map(({ id }) => id));
      more = hasMore;
    }
    for (let more = true; more;) {
      const before = backward![0];
      const { messages, hasMore } = await page(before === undefined ? {} : { before });
      expect(messages.length).toBeLessThanOrEqual(4);
      backward!.unshift(...messages.map(({ id }) => id));
      more = hasMore;
    }
    expect(forward).toEqual(backward);
    expect(forward).toHaveLength(9);
    expect(all.map(({ id }) => id)).toEqual(forward!.slice(0, 2));
  });
});

it('finds no request by reading each value', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-large-'));
  const url = join(folder, 'store.sqlite');
  const written = await openStore({ url });
  const { owner } = await largeRequests(written, testMachine(written), { count: 300, chars: 32_000 });
  await written.close();
  const filters = [{ q: 'none' }, { model: 'none' }, { name: 'none' }, { status: 'canceled' as const }];
  for (const filter of [...filters, { schemaHash: 'none' }, { schemaHash: 'hash', model: 'none' }]) {
    await onFreshConnection(url, async (store) => {
      const { requests } = await testMachine(store).listRequests({ owner, limit: 50, ...filter });
      expect(requests).toEqual([]);
    });
  }
  await onFreshConnection(url, async ({ db }) => {
    expect((await listSchemas(db, { owner, limit: 50 })).schemas).toMatchObject([{ requests: 300 }]);
  });
  await rm(folder, { recursive: true });
});

it('reads only the messages of a page, also if an edit gave all of them one revision', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-large-'));
  const url = join(folder, 'store.sqlite');
  const written = await openStore({ url });
  const { chatId } = await prepareChat(testMachine(written), 'waiting');
  const { db } = written;
  const row = await db.selectFrom('chat_messages').selectAll().executeTakeFirstOrThrow();
  const parts = JSON.stringify([{ type: 'text', text: 'x'.repeat(32_000) }]);
  for (let id = 100; id < 400; id += 1) {
    await db
      .insertInto('chat_messages')
      .values({ ...row, id, parts, revision: 2 })
      .execute();
  }
  await written.close();
  const readPage = async (store: Store): Promise<void> => {
    const changes = await testMachine(store).changesSince({ owner: OWNER, chatId, version: 1 });
    expect(changes?.messages.length).toBeLessThan(20);
    expect(changes?.end).toBeDefined();
  };
  // The texts of a page, and the first disk page of each of 201 rows.
  await onFreshConnection(url, readPage, 2_000_000);
  await rm(folder, { recursive: true });
});

/** The 300 texts have 9.6 MB, and their index a hundredth of it. */
async function onFreshConnection(
  url: string,
  read: (store: Store) => Promise<void>,
  mostBytes = 1_000_000,
): Promise<void> {
  const store = await openStore({ url });
  const before = bytesRead();
  await read(store);
  expect(bytesRead() - before).toBeLessThan(mostBytes);
  await store.close();
}

/** Bytes that this process read from files and pipes. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/mu.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

/** Writes requests that succeeded. Their values are no JSON, so that nobody can read them. */
async function largeRequests(
  { db }: Store,
  machine: TestMachine,
  { count, chars }: { readonly count: number; readonly chars: number },
): Promise<{ readonly owner: string }> {
  const owner = crypto.randomUUID();
  const requestId = crypto.randomUUID();
  await prepareChat(machine, 'waiting', requestId);
  const row = await db
    .selectFrom('chat_requests')
    .selectAll()
    .where('id', '=', requestId)
    .executeTakeFirstOrThrow();
  const ended = { status: 'succeeded', error: null, value_text: 'no JSON'.padEnd(chars) } as const;
  for (let index = 0; index < count; index += 1) {
    await db
      .insertInto('chat_requests')
      .values({ ...row, ...ended, id: crypto.randomUUID(), owner })
      .execute();
  }
  const chat = await db
    .selectFrom('chats')
    .selectAll()
    .where('id', '=', row.chat_id)
    .executeTakeFirstOrThrow();
  await db.updateTable('chats').set({ owner }).where('id', '=', chat.id).execute();
  await db.deleteFrom('chat_requests').where('id', '=', requestId).execute();
  return { owner };
}
