/**
 * Ids that clients choose for chats and messages: unique per owner and per chat, and looked up
 * for addresses such as `~ID`.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { lockName } from '@truecast/store/internal/locks';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { NewMessage } from '../rows/append-messages.ts';
import type { ChatUpdate } from '../rows/chat-update.ts';
import type { StateDb } from '../rows/machine-context.ts';
import type { NewChat } from '../rows/new-chat-row.ts';

/** An owner's chat by the id that its client chose. */
export interface ChatByClientId {
  readonly owner: string;
  readonly clientId: string;
}

/** Checks the id of a new chat. @throws ChatStateError `client-id-taken` */
export async function assertFreeChat(
  tx: StoreTransaction,
  { owner, clientId }: Pick<NewChat, 'owner' | 'clientId'>,
): Promise<void> {
  if (clientId === undefined) return;
  // Locked, because two transactions could both find the id free.
  await lockName(tx, `client id ${owner} ${clientId}`);
  const taken = await findChat(tx.db, { owner, clientId });
  if (taken !== undefined) throw isTaken('chat', taken);
}

/** Checks the id of a message, whose chat is locked. @throws ChatStateError `client-id-taken` */
export async function assertFreeMessage(
  { db, chat: { id: chatId, owner } }: ChatUpdate,
  { clientId }: NewMessage,
): Promise<void> {
  if (clientId === undefined) return;
  const queued = await db
    .selectFrom('chat_queue')
    .select('id')
    .where('chat_id', '=', chatId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  const isTakenId =
    queued !== undefined || (await findMessage(db, { owner, chatId, clientId })) !== undefined;
  if (isTakenId) throw isTaken('message', chatId);
}

/** Returns the id of an owner's chat. */
export async function findChat(
  db: StateDb,
  { owner, clientId }: ChatByClientId,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('chats')
    .select('id')
    .where('owner', '=', owner)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row?.id;
}

/** A message of a chat by the id that its client chose. */
export interface MessageByClientId {
  readonly chatId: string;
  readonly clientId: string;
  /** The message is found only if the chat belongs to this owner. */
  readonly owner: string;
}

/** Returns the id of a message in the history. */
export async function findMessage(
  db: StateDb,
  { chatId, clientId, owner }: MessageByClientId,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('chat_messages')
    .innerJoin('chats', 'chats.id', 'chat_messages.chat_id')
    .select('chat_messages.id')
    .where('chats.owner', '=', owner)
    .where('chat_messages.chat_id', '=', chatId)
    .where('chat_messages.client_id', '=', clientId)
    .where('chat_messages.deleted', '=', 0)
    .executeTakeFirst();
  return row?.id;
}

function isTaken(kind: 'chat' | 'message', chatId: string): ChatStateError {
  return new ChatStateError(
    `Another ${kind} has this \`client_id\`. Read it, or choose a new id, such as a random UUID.`,
    { code: 'client-id-taken', chatId },
  );
}
