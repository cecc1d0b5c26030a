/** Message queue of one chat: append, move to the head, promote, remove. */
import type { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { ChatQueueRow } from '@truecast/store/internal/tables/chats';
import { appendMessages, partsOf, toFlag, type NewMessage } from './append-messages.ts';
import { refusal, type ChatUpdate } from './chat-update.ts';
import { openRequest, startRequest } from './request-rows.ts';
import { PARTS_FORM, versionOf } from '../../contract/stored-versions.ts';

/** Appends a message to the queue. Returns its id. */
export async function enqueue(update: ChatUpdate, message: NewMessage): Promise<number> {
  const { db, next, now, context } = update;
  const { queueCap: limit } = context;
  if (next.queue_length >= limit) {
    const message = `The chat's queue is full: its limit is ${limit} messages. Delete one, or wait for a turn to end.`;
    throw refusal(update, 'queue-full', message, { limit });
  }
  const id = next.next_queued_id;
  await db
    .insertInto('chat_queue')
    .values({
      chat_id: next.id,
      id,
      // A message's id is its position, because ids only grow. Moved heads have positions below
      // zero.
      position: id,
      parts: JSON.stringify(partsOf(message)),
      parts_version: versionOf(PARTS_FORM),
      request_id: message.request?.format.request_id ?? null,
      plan_mode: toFlag(message.planMode),
      traceparent: message.traceparent ?? null,
      tracestate: message.tracestate ?? null,
      created_at: now,
      client_id: message.clientId ?? null,
    })
    .execute();
  next.next_queued_id += 1;
  next.queue_length += 1;
  markQueue(update);
  await openRequest(update, message, { queuedId: id });
  return id;
}

/** Moves the head of the queue into the history, where it runs. */
export async function promoteHead(update: ChatUpdate): Promise<number | undefined> {
  const { next } = update;
  if (next.queue_length === 0) return undefined;
  const head = await takeHead(update);
  next.queue_length -= 1;
  next.traceparent = head.traceparent;
  next.tracestate = head.tracestate;
  next.turn_version = update.revision;
  markQueue(update);
  const [messageId = 0] = await appendMessages(update, [
    {
      role: 'user',
      parts: [],
      // Not parsed: a message that cannot be read must not block the chat. Its turn ends with an error.
      stored: head,
      ...(head.request_id !== null && { requestId: head.request_id }),
      ...(head.plan_mode !== null && { planMode: head.plan_mode === 1 }),
      ...(head.client_id !== null && { clientId: head.client_id }),
    },
  ]);
  if (head.request_id !== null) await startRequest(update, head.request_id, messageId);
  return messageId;
}

export async function moveToHead(update: ChatUpdate, queuedId: number): Promise<void> {
  const { db, next } = update;
  const { lowest } = await db
    .selectFrom('chat_queue')
    .select(({ fn }) => fn.min('position').as('lowest'))
    .where('chat_id', '=', next.id)
    .executeTakeFirstOrThrow();
  const { numUpdatedRows } = await db
    .updateTable('chat_queue')
    .set({ position: Math.min(lowest, 0) - 1 })
    .where('chat_id', '=', next.id)
    .where('id', '=', queuedId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw queuedNotFound(update, queuedId);
  markQueue(update);
}

/** Removes a message from the queue. Returns the message's request, if any. */
export async function removeQueued(update: ChatUpdate, queuedId: number): Promise<string | undefined> {
  const { db, next } = update;
  const row = await db
    .deleteFrom('chat_queue')
    .where('chat_id', '=', next.id)
    .where('id', '=', queuedId)
    .returning('request_id')
    .executeTakeFirst();
  if (row === undefined) throw queuedNotFound(update, queuedId);
  next.queue_length -= 1;
  markQueue(update);
  return row.request_id ?? undefined;
}

/** Removes every message from the queue. */
export async function clearQueue(update: ChatUpdate): Promise<void> {
  const { db, next } = update;
  if (next.queue_length === 0) return;
  await db.deleteFrom('chat_queue').where('chat_id', '=', next.id).execute();
  next.queue_length = 0;
  markQueue(update);
}

async function takeHead({ db, next }: ChatUpdate): Promise<ChatQueueRow> {
  return db
    .deleteFrom('chat_queue')
    .where('chat_id', '=', next.id)
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('chat_queue as head')
        .select('head.id')
        .where('head.chat_id', '=', next.id)
        .orderBy('head.position')
        .limit(1),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

function markQueue({ next, revision }: ChatUpdate): void {
  next.queue_version = revision;
}

function queuedNotFound(update: ChatUpdate, queuedId: number): ChatStateError {
  const message = 'The message is not in the queue: it ran, or was deleted. Read the queue.';
  return refusal(update, 'queued-not-found', message, { subject: String(queuedId) });
}
