/**
 * Entry of user messages: as the first message, at once, through the queue, or as a replacement.
 */
import { write } from '@truecast/store/internal/write';
import type { Turn } from './chat-reads.ts';
import {
  appendMessages,
  assertNoPlan,
  markHistory,
  messageRow,
  userDraft,
  type NewMessage,
} from './rows/append-messages.ts';
import { assertFreeChat, assertFreeMessage } from './client-ids/client-ids.ts';
import { announce, refusal, updateChat, updateChatIn, type ChatUpdate } from './rows/chat-update.ts';
import { toChat, toMessage, toRequest, type Chat } from './rows/chat-records.ts';
import { assertMaySpawn, stopChildren } from './children.ts';
import { endTurn, interruptTurn, settle } from './end-turn.ts';
import {
  FIRST_ID,
  newChatRow,
  rowAfterFirstMessage,
  type CreatedChat,
  type NewChat,
} from './rows/new-chat-row.ts';
import { storeResponse, type Idempotency } from './rows/idempotency.ts';
import type { MachineContext, StateDb } from './rows/machine-context.ts';
import { clearQueue, enqueue, promoteHead } from './rows/message-queue.ts';
import { countTurn } from './rows/owner-usage.ts';
import { endQueued, endRunningUnseen, openRequest, newRequestRow } from './rows/request-rows.ts';
import { startWithCommit, type StartingContext } from './start-with-commit.ts';
import { abandonCalls } from './rows/tool-ledger.ts';
import { assertAllowed, assertEnding } from './rows/transition-table.ts';

export interface MessageToSend {
  readonly owner: string;
  readonly chatId: string;
  readonly message: NewMessage;
  /**
   * `interrupt`: the running turn ends first, and its streamed text is kept. In both modes the
   * message is queued.
   */
  readonly busyBehavior: 'queue' | 'interrupt';
  readonly idempotency?: Idempotency<SentMessage>;
}

/** A stored message and its chat. It has exactly one of the two ids. */
export interface SentMessage {
  readonly chat: Chat;
  readonly messageId?: number;
  readonly queuedId?: number;
}

/** A replacement for a message and everything after it. */
export interface MessageEdit {
  readonly owner: string;
  readonly chatId: string;
  readonly messageId: number;
  readonly message: NewMessage;
}

/** The replacement, and the ids of removed messages. */
export interface EditedMessage {
  readonly chat: Chat;
  readonly messageId: number;
  readonly deletedIds: readonly number[];
}

/** Creates a chat whose first message runs at once. */
export async function createChat(context: StartingContext, options: NewChat): Promise<CreatedChat> {
  return startWithCommit(context, async (tx, start) => {
    const { db } = tx;
    const now = context.now();
    const { owner, parentId } = options;
    if (parentId !== undefined) await assertMaySpawn(tx, { owner, chatId: options.id ?? '', parentId });
    const chat = newChatRow(options, options.id ?? context.newId(), now);
    if (options.id !== undefined) await assertNew(db, options.id);
    const { version: revision } = chat;
    const from = 'none';
    const transition = 'createChat';
    const ended: string[] = [];
    const update = { context, tx, db, now, transition, from, chat, next: chat, revision, ended } as const;
    await assertFreeChat(tx, options);
    await admit(update, options.message);
    start.assign(chat);
    // Inserted first, because of the foreign keys. Its later values are already known.
    await write(tx, db.insertInto('chats').values(rowAfterFirstMessage(chat, options.message)));
    const messageId = await appendUser(update, options.message);
    assertEnding('createChat', from, 'running', chat.id);
    await start.begin(update, () => firstTurn(update, options.message));
    const result = { chat: toChat(chat), messageId };
    if (options.idempotency !== undefined) {
      await storeResponse(db, chat, options.idempotency, result, now);
    }
    await announce(update);
    return result;
  });
}

/** Returns the rows of a new chat, as loaded after its commit. */
function firstTurn(update: ChatUpdate, message: NewMessage): Turn {
  const row = messageRow(update, userDraft(message), FIRST_ID);
  const request = newRequestRow(update, message, { messageId: FIRST_ID });
  return {
    chat: toChat(update.next),
    messages: [toMessage(row)],
    ...(request !== undefined && { request: toRequest(request) }),
    queue: [],
    executions: [],
  };
}

export function sendMessage(context: StartingContext, options: MessageToSend): Promise<SentMessage> {
  const { owner, chatId, message, busyBehavior, idempotency } = options;
  const transition = busyBehavior === 'interrupt' ? 'sendInterrupting' : 'sendMessage';
  return startWithCommit(context, (tx, start) =>
    updateChatIn(context, tx, chatId, transition, { owner, idempotency }, async (update) => {
      await assertFreeMessage(update, message);
      await admit(update, message);
      const isTurn = update.chat.status !== 'waiting' && update.chat.status !== 'error';
      const place = await placeMessage(update, message);
      if (isTurn && busyBehavior === 'interrupt') await stopChildren(update);
      start.assign(update.next);
      await start.begin(update);
      return { chat: toChat(update.next), ...place };
    }),
  );
}

/**
 * Replaces a user message: later messages are removed, the queue is cleared, and the new message
 * runs.
 */
export function editMessage(context: MachineContext, options: MessageEdit): Promise<EditedMessage> {
  const { owner, chatId, messageId, message } = options;
  return updateChat(context, chatId, 'editMessage', { owner }, async (update) => {
    await admit(update, message);
    await assertEditable(update, messageId);
    await abandonCalls(update);
    await stopChildren(update);
    await endRunningUnseen(update, 'superseded');
    if (update.next.queue_length > 0) await endQueued(update, 'superseded');
    await clearQueue(update);
    const deletedIds = await deleteFrom(update, messageId);
    await assertFreeMessage(update, message);
    settle(update, 'running');
    const newId = await appendUser(update, message);
    return { chat: toChat(update.next), messageId: newId, deletedIds };
  });
}

/** Places the message according to the chat's state. */
async function placeMessage(
  update: ChatUpdate,
  message: NewMessage,
): Promise<{ messageId: number } | { queuedId: number }> {
  const { next, transition } = update;
  const isInterrupting = transition === 'sendInterrupting';
  if (next.status === 'waiting' || next.status === 'error') return placeInIdle(update, message);
  if (next.status === 'requires_action' && isInterrupting) {
    const queuedId = await enqueue(update, message);
    await endTurn(update, { calls: 'canceled', request: 'interrupted' });
    const isRunningAlready = next.queue_length === 0;
    return isRunningAlready ? { messageId: next.next_message_id - 1 } : { queuedId };
  }
  const queuedId = await enqueue(update, message);
  if (next.status === 'running' && isInterrupting) await interruptTurn(update);
  return { queuedId };
}

/** No turn is running: this message runs, or the oldest queued one. */
async function placeInIdle(
  update: ChatUpdate,
  message: NewMessage,
): Promise<{ messageId: number } | { queuedId: number }> {
  if (update.next.queue_length === 0) {
    settle(update, 'running');
    return { messageId: await appendUser(update, message) };
  }
  const queuedId = await enqueue(update, message);
  settle(update, 'running');
  await promoteHead(update);
  return { queuedId };
}

async function appendUser(update: ChatUpdate, message: NewMessage): Promise<number> {
  update.next.traceparent = message.traceparent ?? null;
  update.next.tracestate = message.tracestate ?? null;
  update.next.turn_version = update.revision;
  const [messageId = 0] = await appendMessages(update, [userDraft(message)]);
  await openRequest(update, message, { messageId });
  return messageId;
}

async function assertNew(db: StateDb, id: string): Promise<void> {
  const taken = await db.selectFrom('chats').select('id').where('id', '=', id).executeTakeFirst();
  if (taken !== undefined) assertAllowed('createChat', 'waiting', id);
}

async function admit(update: ChatUpdate, message: NewMessage): Promise<void> {
  assertNoPlan(update, message);
  await countTurn(update);
}

async function assertEditable(update: ChatUpdate, messageId: number): Promise<void> {
  const row = await update.db
    .selectFrom('chat_messages')
    .select(['role', 'visibility', 'compressed', 'deleted'])
    .where('chat_id', '=', update.chat.id)
    .where('id', '=', messageId)
    .executeTakeFirst();
  const facts = { subject: String(messageId) };
  if (row === undefined || row.deleted === 1 || row.visibility === 'model') {
    const message = 'There is no such message. Read the messages of the chat.';
    throw refusal(update, 'message-not-found', message, facts);
  }
  if (row.role === 'user' && row.compressed === 0) return;
  const message = 'Only a message of the user can be edited. Edit the one before it.';
  throw refusal(update, 'message-not-editable', message, facts);
}

/** Marks a message and all later ones as deleted. */
async function deleteFrom(update: ChatUpdate, messageId: number): Promise<number[]> {
  const rows = await update.db
    .updateTable('chat_messages')
    .set({ deleted: 1, revision: update.revision })
    .where('chat_id', '=', update.chat.id)
    .where('id', '>=', messageId)
    .where('deleted', '=', 0)
    .returning('id')
    .execute();
  markHistory(update);
  return rows.map(({ id }) => id).sort((left, right) => left - right);
}
