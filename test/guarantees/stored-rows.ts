/** Rows of a server's database that are copies of the first one: many requests, or a long history. */
import { sql, type RawBuilder } from 'kysely';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';

/** Columns of the copies that differ from the row. The number of a copy is `n`, from 1. */
type Columns = Readonly<Record<string, RawBuilder<unknown>>>;

/** A random UUID. */
const UUID = sql.raw([4, 2, 2, 2, 6].map((bytes) => `lower(hex(randomblob(${bytes})))`).join(" || '-' || "));

/** Copies the newest request until there are `count`, each a second older, with these values. */
export async function copyRequests(url: string, count: number, valueText: string): Promise<void> {
  await inDatabase(url, async (db) => {
    const row = await db.selectFrom('chat_requests').selectAll().executeTakeFirstOrThrow();
    const changed = { id: UUID, created_at: sql`created_at - n * 1000`, value_text: sql`${valueText}` };
    await copyRow(db, 'chat_requests', row, changed, count - 1);
  });
}

/** Adds messages of one text to the only chat. Returns its id. */
export async function addMessages(url: string, count: number, text: string): Promise<string> {
  return await inDatabase(url, async (db) => {
    const chat = await db.selectFrom('chats').selectAll().executeTakeFirstOrThrow();
    const row = await db.selectFrom('chat_messages').selectAll().executeTakeFirstOrThrow();
    const first = chat.next_message_id;
    const version = chat.version + 1;
    const parts = JSON.stringify([{ type: 'text', text }]);
    const copy = { ...row, id: first, client_id: null, request_id: null, revision: version, parts };
    await db.insertInto('chat_messages').values(copy).execute();
    await copyRow(db, 'chat_messages', copy, { id: sql`id + n` }, count - 1);
    const counters = { next_message_id: first + count, version, history_version: version };
    await db.updateTable('chats').set(counters).where('id', '=', chat.id).execute();
    return chat.id;
  });
}

/** Copies a row of SQLite by one statement for all copies. */
async function copyRow(
  db: Store['db'],
  table: 'chat_messages' | 'chat_requests',
  row: { readonly id: string | number },
  changed: Columns,
  count: number,
): Promise<void> {
  const names = Object.keys(row);
  const values = names.map((name) => changed[name] ?? sql.ref(name));
  const numbers = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    ${numbers} select ${sql.join(values)} from ${sql.table(table)}, numbers
    where id = ${row.id}`.execute(db);
}

async function inDatabase<T>(url: string, write: (db: Store['db']) => Promise<T>): Promise<T> {
  const store = await openStore({ url });
  try {
    return await store.db.transaction().execute(write);
  } finally {
    await store.close();
  }
}
