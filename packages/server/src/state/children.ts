/** Child chats: stopped with their parent's turn, deleted with their parent. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { forUpdate } from '@truecast/store/internal/locks';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { StoredChat } from '@truecast/store/internal/tables/chats';
import { lockChat, updateChatIn, type ChatUpdate } from './rows/chat-update.ts';
import { interruptTurn, releaseHold, settle } from './end-turn.ts';
import { clearQueue } from './rows/message-queue.ts';
import { eraseRequests, eraseResponses } from './rows/erased-rows.ts';
import { endQueued, endRunningUnseen } from './rows/request-rows.ts';
import { chatNotFound } from './rows/transition-table.ts';

/** A child chat to create. */
export interface Spawning {
  readonly owner: string;
  readonly chatId: string;
  readonly parentId: string;
}

/**
 * Rejects a child whose parent does not exist, does not run, or is a child itself. The parent stays
 * locked, so that a concurrent interruption finds the child.
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
    'Only a running turn of a top-level chat can have children. Continue the chat, and spawn from its turn.',
    { code: 'not-allowed', chatId, transition: 'createChat', from: 'none', subject: parentId },
  );
}

/**
 * Interrupts running children and clears their queues, because the interrupted turn filled them.
 */
export async function stopChildren(update: ChatUpdate): Promise<void> {
  const { context, tx } = update;
  for (const child of await childrenOf(update)) {
    if (child.queue_length > 0) await updateChatIn(context, tx, child.id, 'deleteQueued', {}, dropQueue);
    if (child.status !== 'running' && child.status !== 'requires_action') continue;
    await updateChatIn(context, tx, child.id, 'interrupt', {}, interruptTurn);
  }
}

/** Erases the children in any state. */
export async function eraseChildren(update: ChatUpdate): Promise<void> {
  const { context, tx } = update;
  for (const { id } of await childrenOf(update)) {
    await updateChatIn(context, tx, id, 'deleteChat', {}, eraseChat);
  }
}

/** Deletes the contents of a chat. States, times, models and usage of its requests remain. */
export async function eraseChat(update: ChatUpdate): Promise<void> {
  const { db, next } = update;
  await endRunningUnseen(update, 'chat_deleted');
  await endQueued(update, 'chat_deleted');
  await clearQueue(update);
  for (const table of ['tool_executions', 'chat_messages', 'chat_leases', 'receipt_shares'] as const) {
    await db.deleteFrom(table).where('chat_id', '=', next.id).execute();
  }
  await eraseRequests(db, next.id);
  await eraseResponses(db, next.id);
  settle(update, 'waiting');
  Object.assign(next, { deleted: 1, client_id: null, tracestate: null, title: '', system_prompt: null });
  Object.assign(next, { tools: '[]', settings: '{}', labels: null });
}

async function dropQueue(update: ChatUpdate): Promise<void> {
  await endQueued(update, 'queue_deleted');
  await clearQueue(update);
  releaseHold(update);
}

/**
 * Locks the rows, so that the reads stay valid, in a fixed order, so that two transactions cannot
 * deadlock.
 */
async function childrenOf({
  tx,
  next,
}: ChatUpdate): Promise<Pick<StoredChat, 'id' | 'status' | 'queue_length'>[]> {
  const query = tx.db
    .selectFrom('chats')
    .select(['id', 'status', 'queue_length'])
    .where('parent_id', '=', next.id)
    .where('deleted', '=', 0)
    .orderBy('id');
  return forUpdate(tx, query).execute();
}
