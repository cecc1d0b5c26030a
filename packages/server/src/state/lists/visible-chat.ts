/** Chat rows that an owner can see, and their queues. */
import type { StoredChat } from '@truecast/store/internal/tables/chats';
import { toQueued, type QueuedMessage } from '../rows/chat-records.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { chatNotFound } from '../rows/transition-table.ts';

/** Reads the row of a chat that its owner can see. */
export async function visibleChat(
  db: StateDb,
  { chatId, owner }: { readonly chatId: string; readonly owner?: string },
): Promise<StoredChat> {
  const row = await db.selectFrom('chats').selectAll().where('id', '=', chatId).executeTakeFirst();
  const isVisible = row?.deleted === 0 && (owner === undefined || row.owner === owner);
  if (row !== undefined && isVisible) return row;
  throw chatNotFound(chatId);
}

export async function queueOf(db: StateDb, chatId: string): Promise<QueuedMessage[]> {
  const rows = await db
    .selectFrom('chat_queue')
    .selectAll()
    .where('chat_id', '=', chatId)
    .orderBy('position')
    .execute();
  return rows.map(toQueued);
}
