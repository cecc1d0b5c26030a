/** Deletion of chats, and lookup of deleted ones for owners of external resources. */
import type { OwnedChat } from './chat-changes.ts';
import { eraseChat, eraseChildren } from './children.ts';
import { writeAudit } from './rows/audit-log.ts';
import { updateChat } from './rows/chat-update.ts';
import type { MachineContext } from './rows/machine-context.ts';

/** Ids per statement. */
const IDS_AT_ONCE = 500;

export interface ChatDeletion extends OwnedChat {
  /** The caller, for the audit log. @default 'program' */
  readonly actor?: string;
}

/**
 * Deletes the contents of a chat and its children: messages, values, schemas and stored responses.
 * Open requests end as `chat_deleted`, for clients that wait for them.
 */
export function deleteChat(
  context: MachineContext,
  { owner, chatId, actor = 'program' }: ChatDeletion,
): Promise<void> {
  return updateChat(context, chatId, 'deleteChat', { owner }, async (update) => {
    await eraseChildren(update);
    await eraseChat(update);
    const entry = { action: 'chat_deleted', actor, owner, subject: chatId } as const;
    await writeAudit(update.db, entry, update.now);
  });
}

/**
 * Returns those of `chatIds` that were deleted longer than one lease ago. Their workers have
 * noticed, or are dead.
 *
 * Unknown ids are not returned: they can belong to another database.
 */
export async function deletedChats(
  { store, now, leaseMs }: MachineContext,
  chatIds: readonly string[],
): Promise<string[]> {
  const deleted: string[] = [];
  for (let start = 0; start < chatIds.length; start += IDS_AT_ONCE) {
    const rows = await store.db
      .selectFrom('chats')
      .select('id')
      .where('id', 'in', chatIds.slice(start, start + IDS_AT_ONCE))
      .where('deleted', '=', 1)
      .where('updated_at', '<=', now() - leaseMs)
      .execute();
    deleted.push(...rows.map(({ id }) => id));
  }
  return deleted;
}
