/** Chat queries: each answer comes from one consistent snapshot, and owners are isolated. */
import type { ToolCallPart } from '@truecast/client/internal/wire/message-parts';
import { callsOf } from '../contract/turn-rows.ts';
import {
  toChat,
  toExecution,
  toMessage,
  toShownMessage,
  toRequest,
  type Chat,
  type Message,
  type QueuedMessage,
  type RequestRecord,
  type ToolExecution,
} from './rows/chat-records.ts';
import type { OwnedChat } from './chat-changes.ts';
import type { StateDb } from './rows/machine-context.ts';
import { bytesOf, readPage } from './lists/bounded-page.ts';
import { queueOf, visibleChat } from './lists/visible-chat.ts';

/** All inputs of a turn's next decision. */
export interface Turn {
  readonly chat: Chat;
  /** The history without deleted messages. */
  readonly messages: readonly Message[];
  readonly request?: RequestRecord;
  readonly queue: readonly QueuedMessage[];
  /** Calls without a result. */
  readonly executions: readonly ToolExecution[];
}

/** Message query: before or after an id. Without either, the last messages. */
export interface MessageFilter extends OwnedChat {
  readonly limit: number;
  readonly before?: number;
  readonly after?: number;
}

/** A larger page would block the event loop. It has fewer messages than its limit, and at least two. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** A page of messages, oldest first. */
export interface MessagePage {
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
}

/**
 * Reads a chat for its worker. With `since`, an earlier read of the same chat, it reads only the
 * messages that changed after it.
 *
 * Both return the same turn. `db` must be one consistent snapshot.
 */
export async function loadTurn(db: StateDb, chatId: string, since?: Turn): Promise<Turn> {
  const row = await visibleChat(db, { chatId });
  const messages = await (since === undefined ? readHistory(db, chatId) : readOn(db, since));
  const queue = row.queue_length === 0 ? [] : await queueOf(db, chatId);
  const requestId = row.request_id;
  const request =
    requestId === null
      ? undefined
      : await db
          .selectFrom('chat_requests')
          .selectAll()
          .where('id', '=', requestId)
          .executeTakeFirstOrThrow();
  const executions = await db
    .selectFrom('tool_executions')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('answered', '=', 0)
    .orderBy('message_id')
    .orderBy('position')
    .execute();
  return {
    chat: toChat(row),
    messages,
    ...(request !== undefined && { request: toRequest(request) }),
    queue,
    executions: executions.map(toExecution),
  };
}

export async function readChat(db: StateDb, chat: OwnedChat): Promise<Chat> {
  return toChat(await visibleChat(db, chat));
}

/** Lists the child chats of a chat, oldest first. */
export async function listChildren(db: StateDb, { owner, chatId }: OwnedChat): Promise<Chat[]> {
  const rows = await db
    .selectFrom('chats')
    .selectAll()
    .where('parent_id', '=', chatId)
    .where('owner', '=', owner)
    .where('deleted', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(toChat);
}

/** Lists the messages that are visible to clients. */
export async function listMessages(db: StateDb, filter: MessageFilter): Promise<MessagePage> {
  await visibleChat(db, filter);
  const { chatId, limit, before, after } = filter;
  let query = history(db, chatId).where('visibility', '<>', 'model');
  if (before !== undefined) query = query.where('id', '<', before);
  if (after !== undefined) query = query.where('id', '>', after);
  const isForward = after !== undefined && before === undefined;
  if (!isForward) query = query.clearOrderBy().orderBy('id', 'desc');
  const sizes = query.clearSelect().select(bytesOf('parts'));
  const { rows, isCut } = await readPage(query, sizes, { maxRows: limit, maxBytes: MAX_PAGE_BYTES });
  const page = rows.map(toShownMessage);
  return { messages: isForward ? page : page.reverse(), hasMore: isCut };
}

/** Lists the queue in execution order. */
export async function listQueue(db: StateDb, chat: OwnedChat): Promise<QueuedMessage[]> {
  await visibleChat(db, chat);
  return queueOf(db, chat.chatId);
}

/** Lists calls with unknown outcome, whose effects need a manual check. */
export async function unknownExecutions(
  db: StateDb,
  { owner, chatId }: Partial<OwnedChat>,
): Promise<ToolExecution[]> {
  let query = db
    .selectFrom('tool_executions')
    .innerJoin('chats', 'chats.id', 'tool_executions.chat_id')
    .selectAll('tool_executions')
    .where('tool_executions.status', '=', 'unknown')
    .orderBy('tool_executions.created_at')
    .orderBy('tool_executions.position');
  if (owner !== undefined) query = query.where('chats.owner', '=', owner);
  if (chatId !== undefined) query = query.where('chats.id', '=', chatId);
  return (await query.execute()).map(toExecution);
}

/**
 * Reads the calls that the client must answer, in order, without the rest of the history. `db` must
 * be one consistent snapshot.
 */
export async function awaitedCalls(db: StateDb, chatId: string): Promise<ToolCallPart[]> {
  const awaited = await db
    .selectFrom('tool_executions')
    .select(['message_id', 'tool_call_id'])
    .where('chat_id', '=', chatId)
    .where('answered', '=', 0)
    .where('run_by', '=', 'client')
    .execute();
  const ids = new Set(awaited.map(({ message_id }) => message_id));
  if (ids.size === 0) return [];
  const rows = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('id', 'in', Array.from(ids))
    .orderBy('id')
    .execute();
  const keys = new Set(awaited.map(({ message_id, tool_call_id }) => `${message_id} ${tool_call_id}`));
  return rows
    .map(toShownMessage)
    .flatMap(({ id, parts }) => callsOf(parts).filter((call) => keys.has(`${id} ${call.tool_call_id}`)));
}

async function readHistory(db: StateDb, chatId: string): Promise<Message[]> {
  return (await history(db, chatId).execute()).map(toMessage);
}

/**
 * Reads only changed messages: every change of a message writes its revision, and new messages come
 * last.
 */
async function readOn(db: StateDb, { chat, messages }: Turn): Promise<readonly Message[]> {
  const changed = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('chat_id', '=', chat.id)
    .where('revision', '>', chat.version)
    .orderBy('id')
    .execute();
  if (changed.length === 0) return messages;
  const ids = new Set(changed.map(({ id }) => id));
  const added = changed.filter(({ deleted }) => deleted === 0).map(toMessage);
  return [...messages.filter(({ id }) => !ids.has(id)), ...added];
}

function history(db: StateDb, chatId: string) {
  return db
    .selectFrom('chat_messages')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('deleted', '=', 0)
    .orderBy('id');
}
