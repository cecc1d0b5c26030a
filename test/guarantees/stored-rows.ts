/** Rows of a server's database that are copies of the first one: many requests, or a long history. */
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';

/** Rows of one statement. SQLite allows 32,766 parameters. */
const AT_ONCE = 20;

/** Copies the newest request until there are `count`, each a second older, with these values. */
export async function copyRequests(url: string, count: number, valueText: string): Promise<void> {
  await inDatabase(url, async (db) => {
    const row = await db.selectFrom('chat_requests').selectAll().executeTakeFirstOrThrow();
    for (let made = 1; made < count; made += AT_ONCE) {
      const rows = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, index) => ({
        ...row,
        id: crypto.randomUUID(),
        value_text: valueText,
        created_at: row.created_at - (made + index) * 1_000,
      }));
      await db.insertInto('chat_requests').values(rows).execute();
    }
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
    const copy = { ...row, client_id: null, request_id: null, revision: version, parts };
    for (let index = 0; index < count; index += 1) {
      await db
        .insertInto('chat_messages')
        .values({ ...copy, id: first + index })
        .execute();
    }
    const counters = { next_message_id: first + count, version, history_version: version };
    await db.updateTable('chats').set(counters).where('id', '=', chat.id).execute();
    return chat.id;
  });
}

async function inDatabase<T>(url: string, write: (db: Store['db']) => Promise<T>): Promise<T> {
  const store = await openStore({ url });
  try {
    return await store.db.transaction().execute(write);
  } finally {
    await store.close();
  }
}
