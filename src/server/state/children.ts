/** Owns what becomes of the chats that a chat has spawned: they stop when its turn is stopped, and go when it goes. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import type { StoreTransaction } from '../../store/store.ts';
import type { ChatRow } from '../../store/tables/chats.ts';
import { lockChat, updateChatIn, type ChatUpdate } from './chat-update.ts';
import { interruptTurn, releaseHold, settle } from './end-turn.ts';
import { clearQueue } from './message-queue.ts';
import { endQueued, endRunningUnseen } from './request-rows.ts';
import { chatNotFound } from './transitions.ts';

/** A chat that is about to be spawned. */
export interface Spawning {
  readonly owner: string;
  readonly chatId: string;
  readonly parentId: string;
}

/**
 * Refuses a child of a chat that is not there, does not run, or is a child itself. The parent stays locked: who stops it meanwhile finds the child.
 *
 * @throws ChatStateError `chat-not-found`, `not-allowed`
 */
export async function assertMaySpawn(
  tx: StoreTransaction,
  { owner, chatId, parentId }: Spawning,
): Promise<void> {
  const parent = await lockChat(tx, parentId);
  if (parent?.deleted !== 0 || parent.owner !== owner) throw chatNotFound(parentId, 'createChat');
  if (parent.status === 'running' && parent.parent_id === null) return;
  throw new ChatStateError(
    'Only a running turn of a chat that is no child itself has children. Let the chat go on, and spawn from there.',
    { code: 'not-allowed', chatId, transition: 'createChat', from: 'none', subject: parentId },
  );
}

/** Interrupts the children that work; what was queued for any of them goes, since it came from the turn that is stopped. */
export async function stopChildren(update: ChatUpdate): Promise<void> {
  const { context, tx } = update;
  for (const child of await childrenOf(update)) {
    if (child.queue_length > 0) await updateChatIn(context, tx, child.id, 'deleteQueued', {}, dropQueue);
    if (child.status !== 'running' && child.status !== 'requires_action') continue;
    await updateChatIn(context, tx, child.id, 'interrupt', {}, interruptTurn);
  }
}

/** Erases the children, whatever they do. */
export async function eraseChildren(update: ChatUpdate): Promise<void> {
  const { context, tx } = update;
  for (const { id } of await childrenOf(update))
    await updateChatIn(context, tx, id, 'deleteChat', {}, eraseChat);
}

/** Deletes what a chat holds; its requests stay. */
export async function eraseChat(update: ChatUpdate): Promise<void> {
  const { db, next } = update;
  await endRunningUnseen(update, 'chat_deleted');
  await endQueued(update, 'chat_deleted');
  await clearQueue(update);
  for (const table of ['tool_executions', 'chat_messages', 'chat_leases'] as const) {
    await db.deleteFrom(table).where('chat_id', '=', next.id).execute();
  }
  settle(update, 'waiting');
  Object.assign(next, { deleted: 1, title: '', system_prompt: null, tools: '[]', settings: '{}' });
}

async function dropQueue(update: ChatUpdate): Promise<void> {
  await endQueued(update, 'queue_deleted');
  await clearQueue(update);
  releaseHold(update);
}

/** Locked, so that what is read of them still holds when they are changed; in one order, so that two that lock several never wait for each other. */
async function childrenOf({
  tx,
  next,
}: ChatUpdate): Promise<Pick<ChatRow, 'id' | 'status' | 'queue_length'>[]> {
  const query = tx.db
    .selectFrom('chats')
    .select(['id', 'status', 'queue_length'])
    .where('parent_id', '=', next.id)
    .where('deleted', '=', 0)
    .orderBy('id');
  return (tx.dialect === 'postgres' ? query.forUpdate() : query).execute();
}
