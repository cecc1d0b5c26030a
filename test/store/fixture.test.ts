/**
 * The fixture database of the current format, with rows of every kind: it is opened, read, continued
 * and streamed. A change of the tables or of the stored JSON needs a new format and a new fixture.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { openLedger } from '../../packages/ensemble/src/ledger/open-ledger.ts';
import type { ClientChat } from '../../packages/client/src/client-chat.ts';
import { createClient, type Client as ChatClient } from '../../packages/client/src/create-client.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { exportOwner } from '../../packages/server/src/owners/owner-data.ts';
import { listAudit } from '../../packages/server/src/owners/audit-list.ts';
import { listTokens } from '../../packages/server/src/tokens/token-rows.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { STORE_FORMAT } from '../../packages/store/src/format/store-format.ts';
import { describeOnBothStores, type StoreFixture } from '../describe-on-both-stores.ts';
import { matrixRow } from '../matrix.ts';
import { FIXTURE_OWNER, FIXTURE_TOKEN, playFixture, TITLES } from './fixtures/fixture-chats.ts';

const FILE = join(import.meta.dirname, 'fixtures', `format-${STORE_FORMAT}`);

/** Creates a database with the rows of the fixture. */
async function loadFixture({ dialect, emptyUrl }: StoreFixture): Promise<string> {
  const url = await emptyUrl();
  if (dialect === 'sqlite') {
    await writeFile(url, gunzipSync(await readFile(`${FILE}.sqlite.gz`)));
    return url;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(await readFile(`${FILE}.postgres.sql`, 'utf8'));
  await client.end();
  return url;
}

/** The tables and indexes, as the database describes them. */
async function describeTables({ dialect, db }: Store): Promise<readonly unknown[]> {
  const query =
    dialect === 'sqlite'
      ? sql`select name, sql from sqlite_master where name not like 'sqlite_%' order by name`
      : sql`select table_name, column_name, data_type, is_nullable, column_default, null as definition
            from information_schema.columns where table_schema = 'truecast'
            union all select tablename, indexname, null, null, null, indexdef
            from pg_indexes where schemaname = 'truecast' order by 1, 2`;
  return (await query.execute(db)).rows;
}

async function chatIds(client: ChatClient): Promise<ReadonlyMap<string, string>> {
  const { chats } = await client.listChats();
  return new Map(chats.map(({ title, id }) => [title, id]));
}

/** Waits for the end of a chat's requests. Returns the status of each, with its value or code. */
async function endedRequests({ db }: Store, chat: ClientChat): Promise<unknown[]> {
  const rows = await db
    .selectFrom('chat_requests')
    .select('id')
    .where('chat_id', '=', chat.id ?? '')
    .orderBy('created_at')
    .execute();
  const receipts = await Promise.all(rows.map(({ id }) => chat.request(id, { waitMs: 30_000 })));
  return receipts.map(({ status, value, error }) => [status, value ?? error?.code]);
}

/** Streams the chat from its start. Returns the ids of the messages. */
async function streamedIds(chat: ClientChat): Promise<readonly number[]> {
  const leaving = new AbortController();
  const ids: number[] = [];
  for await (const { event } of chat.events({ lastEventId: '0', signal: leaving.signal })) {
    if (event.type === 'message') ids.push(event.message.id);
    if (event.type === 'status' && event.status === 'waiting') break;
  }
  leaving.abort();
  return ids;
}

describeOnBothStores('the fixture database', (fixture) => {
  // The other tests compare the tables and rows of each database. One of them is read by a server in the short form.
  const itInTurns = matrixRow(fixture.row + 1, { rows: 2 });

  it('has the tables of a new database', async () => {
    const stored = await fixture.open(await loadFixture(fixture));
    const fresh = await fixture.open(await fixture.emptyUrl());
    expect(await describeTables(stored)).toEqual(await describeTables(fresh));
  });

  it('has rows of every kind', async () => {
    const { db } = await fixture.open(await loadFixture(fixture));
    const empty: string[] = [];
    for (const table of [
      'events',
      'chats',
      'chat_messages',
      'chat_queue',
      'chat_requests',
      'chat_leases',
      'tool_executions',
      'access_tokens',
      'audit_log',
    ] as const) {
      const row = await db.selectFrom(table).selectAll().limit(1).executeTakeFirst();
      if (row === undefined) empty.push(table);
    }
    expect(empty).toEqual([]);
    const read = async (column: 'status'): Promise<string[]> =>
      (await db.selectFrom('chat_requests').select(column).distinct().orderBy(column).execute()).map(
        (row) => row[column],
      );
    expect(await read('status')).toEqual(['canceled', 'failed', 'queued', 'running', 'succeeded']);
  });

  it('is read: tokens, audit, chats, receipts and a run', async () => {
    const url = await loadFixture(fixture);
    const store = await fixture.open(url);
    const tokens = await listTokens(store.db);
    expect(tokens.map(({ name }) => name).toSorted()).toEqual(['erased', 'fixture', 'revoked']);
    const audit = await listAudit(store.db, { limit: 100 });
    expect(new Set(audit.map(({ action }) => action))).toEqual(
      new Set(['token_created', 'token_revoked', 'owner_erased', 'chat_deleted']),
    );
    let exported = '';
    for await (const piece of exportOwner(store, { owner: FIXTURE_OWNER, actor: 'test' })) exported += piece;
    expect(exported).not.toContain('This message cannot be read');
    expect(JSON.parse(exported)).toMatchObject({ owner: FIXTURE_OWNER, chats: { length: 7 } });
    await using ledger = await openLedger({ url, cast: [] });
    const [run] = await ledger.runs();
    expect(run?.end).toMatchObject({ reason: 'verdict' });
    const kinds = new Set<string>();
    for await (const { kind } of ledger.read(run?.runId ?? '')) kinds.add(kind);
    expect([...kinds]).toEqual(expect.arrayContaining(['run.started', 'agent.spoke', 'run.finished']));
  });

  itInTurns('is continued and streamed by a server', async () => {
    const url = await loadFixture(fixture);
    const store = await fixture.open(url);
    // The client's time to answer has passed since the fixture was written.
    await store.db
      .updateTable('chats')
      .set({ action_deadline: Date.now() + 3_600_000 })
      .where('status', '=', 'requires_action')
      .execute();
    await using model = await scriptedModelServer({ script: (turn) => playFixture(turn, false) });
    await using server = await createChatServer({
      databaseUrl: url,
      port: 0,
      environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' },
    });
    const client = createClient({ baseURL: server.url, token: FIXTURE_TOKEN });
    const ids = await chatIds(client);
    expect([...ids.keys()].toSorted()).toEqual(Object.keys(TITLES).toSorted());
    const waiting = client.chat({ id: ids.get(TITLES.waiting) ?? '' });
    const calls = (await waiting.messages()).messages
      .flatMap(({ content }) => content)
      .flatMap((part) => (part.type === 'tool_call' ? [part.tool_call_id] : []));
    await waiting.submitToolResults(calls.map((id) => ({ tool_call_id: id, output: 'Yes.' })));
    const values: Record<string, unknown[]> = {};
    for (const [title, id] of ids) {
      const chat = client.chat({ id });
      values[title] = await endedRequests(store, chat);
      const { messages } = await chat.messages({ limit: 200 });
      expect(await streamedIds(chat)).toEqual(messages.map((message) => message.id));
    }
    expect(values).toEqual({
      plain: [],
      tools: [['succeeded', { n: 1 }]],
      failed: [['failed', 'structured_output_not_produced']],
      canceled: [['canceled', 'interrupted']],
      waiting: [['succeeded', { n: 2 }]],
      running: [
        ['succeeded', { n: 3 }],
        ['succeeded', { n: 4 }],
      ],
    });
    const plain = client.chat({ id: ids.get(TITLES.plain) ?? '' });
    const before = (await plain.messages()).messages.length;
    await plain.send({ content: 'plain' });
    await expect.poll(async () => (await plain.messages()).messages.length).toBe(before + 2);
  });
});
