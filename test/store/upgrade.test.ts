/** Opens databases of older versions, with rows in them. */
import { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { Listeners } from '../../packages/store/src/database/listeners.ts';
import { TransactionGuard } from '../../packages/store/src/database/transaction-guard.ts';
import { migrate } from '../../packages/store/src/migrate.ts';
import { MIGRATIONS } from '../../packages/store/src/migrations/migrations.ts';
import { openPostgresDatabase } from '../../packages/store/src/postgres/postgres-database.ts';
import { openSqliteDatabase } from '../../packages/store/src/sqlite/sqlite-database.ts';
import { parseStoreUrl } from '../../packages/store/src/store-url.ts';
import type { Tables } from '../../packages/store/src/tables/tables.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';

/** The row of a chat whose retry a worker of the version `0004` was waiting for. */
const CHAT = {
  id: 'chat',
  owner: 'owner',
  status: 'running',
  version: 3,
  history_version: 1,
  queue_version: 1,
  attempt: 1,
  queue_length: 0,
  next_message_id: 2,
  next_queued_id: 1,
  plan_mode: 0,
  title: '',
  model: 'scripted',
  tools: '[]',
  settings: '{}',
  retry: '{"attempt":1,"delayMs":1,"retryAt":1,"error":{"kind":"x","message":"x","isRetryable":true}}',
  compaction_requested: 0,
  runner: 'worker',
  deleted: 0,
  created_at: 1,
  updated_at: 1,
} as const;

describeOnBothStores('a database of an older version', (fixture) => {
  it('keeps its chats, and they wait for nothing', async () => {
    const url = await fixture.freshUrl();
    await withOldDatabase(url, '0004', async (db) => {
      await db.insertInto('chats').values(CHAT).execute();
    });
    const store = await fixture.open(url);
    const row = await store.db.selectFrom('chats').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ ...CHAT, retry_at: null });
    const wait = store.db.updateTable('chats').set({ retry_at: 5 });
    await expect(wait.execute()).rejects.toThrow(/check/iu);
    await wait.set({ runner: null }).execute();
  });
});

/** Creates the database as it was after the migration `last`. */
async function withOldDatabase(
  url: string,
  last: string,
  work: (db: Kysely<Tables>) => Promise<void>,
): Promise<void> {
  const place = parseStoreUrl(url);
  const guard = new TransactionGuard();
  const listeners = new Listeners(() => {});
  const database =
    place.dialect === 'sqlite'
      ? await openSqliteDatabase(place.path, guard, listeners)
      : openPostgresDatabase(place.url, { guard, listeners, warn: () => {}, maxConnections: 2 });
  const db = new Kysely<Tables>({ dialect: database.kysely });
  const migrations = MIGRATIONS.filter(({ name }) => name.slice(0, 4) <= last);
  await migrate(db, { dialect: database.dialect, migrations, now: '2026-01-01T00:00:00.000Z' });
  await work(db);
  await database.close();
}
