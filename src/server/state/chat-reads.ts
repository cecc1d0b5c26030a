/** Owns reading chats: each answer from one consistent view, and nothing of one owner for another. */
import type { ChatRow } from '../../store/tables/chats.ts';
import type { ChatStatus } from '../contract/rows.ts';
import {
  toChat,
  toExecution,
  toMessage,
  toQueued,
  toRequest,
  type Chat,
  type Message,
  type QueuedMessage,
  type RequestRecord,
  type ToolExecution,
} from './chat-records.ts';
import type { OwnedChat } from './chat-changes.ts';
import type { StateDb } from './machine-context.ts';
import { chatNotFound } from './transitions.ts';

/** All that the next decision of a turn is made from. */
export interface Turn {
  readonly chat: Chat;
  /** The history, deleted messages left out. */
  readonly messages: readonly Message[];
  /** The request whose turn it is. */
  readonly request?: RequestRecord;
  readonly queue: readonly QueuedMessage[];
  /** Calls without a result. */
  readonly executions: readonly ToolExecution[];
}

/** A page of chats, the newest first. */
export interface ChatPage {
  readonly chats: readonly Chat[];
  /** Where the next page begins. */
  readonly next?: string;
}

/** Which chats. */
export interface ChatFilter {
  readonly owner: string;
  readonly limit: number;
  readonly status?: ChatStatus;
  /** `next` of the page before. */
  readonly after?: string;
}

/** Which messages: before or after an id; without either the last ones. */
export interface MessageFilter extends OwnedChat {
  readonly limit: number;
  readonly before?: number;
  readonly after?: number;
}

/** A page of messages, the oldest first. */
export interface MessagePage {
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
}

/** What changed in a chat since a version. */
export interface ChatChanges {
  readonly chat: Chat;
  /** Messages that are new. */
  readonly messages: readonly Message[];
  /** Ids of messages that an edit took away. */
  readonly deletedIds: readonly number[];
  /** The whole queue, when it is another one. */
  readonly queue?: readonly QueuedMessage[];
  readonly requests: readonly RequestRecord[];
}

/**
 * Reads a chat for its worker: the whole of it, or with `since`, an earlier reading of the same chat, only the messages that changed after it.
 *
 * Both give the same turn. `db` must be one consistent view.
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

/** Reads one chat of an owner's. */
export async function readChat(db: StateDb, chat: OwnedChat): Promise<Chat> {
  return toChat(await visibleChat(db, chat));
}

/** Lists an owner's chats, the newest first. */
export async function listChats(db: StateDb, { owner, limit, status, after }: ChatFilter): Promise<ChatPage> {
  let query = db
    .selectFrom('chats')
    .selectAll()
    .where('owner', '=', owner)
    .where('deleted', '=', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (status !== undefined) query = query.where('status', '=', status);
  if (after !== undefined) {
    const cursor = readCursor(after);
    query = query.where(({ eb, or, and }) =>
      or([
        eb('created_at', '<', cursor.createdAt),
        and([eb('created_at', '=', cursor.createdAt), eb('id', '<', cursor.id)]),
      ]),
    );
  }
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { chats: page.map(toChat), ...(hasMore && { next: `${last.created_at}.${last.id}` }) };
}

/** Lists the chats that a chat has spawned, the oldest first. */
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

/** Lists messages that a client may see. */
export async function listMessages(db: StateDb, filter: MessageFilter): Promise<MessagePage> {
  await visibleChat(db, filter);
  const { chatId, limit, before, after } = filter;
  let query = history(db, chatId)
    .where('visibility', '<>', 'model')
    .limit(limit + 1);
  if (before !== undefined) query = query.where('id', '<', before);
  if (after !== undefined) query = query.where('id', '>', after);
  const isForward = after !== undefined && before === undefined;
  if (!isForward) query = query.clearOrderBy().orderBy('id', 'desc');
  const rows = await query.execute();
  const page = rows.slice(0, limit).map(toMessage);
  return { messages: isForward ? page : page.reverse(), hasMore: rows.length > limit };
}

/** Lists the queue in the order in which it will run. */
export async function listQueue(db: StateDb, chat: OwnedChat): Promise<QueuedMessage[]> {
  await visibleChat(db, chat);
  return queueOf(db, chat.chatId);
}

/** Reads what changed since `version`; undefined when nothing did. `db` must be one consistent view. */
export async function changesSince(
  db: StateDb,
  { version, ...owned }: OwnedChat & { readonly version: number },
): Promise<ChatChanges | undefined> {
  const row = await visibleChat(db, owned);
  if (row.version <= version) return undefined;
  const messages = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('chat_id', '=', row.id)
    .where('revision', '>', version)
    .where('visibility', '<>', 'model')
    .orderBy('id')
    .execute();
  const requests = await db
    .selectFrom('chat_requests')
    .selectAll()
    .where('chat_id', '=', row.id)
    .where('revision', '>', version)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return {
    chat: toChat(row),
    messages: messages.filter(({ deleted }) => deleted === 0).map(toMessage),
    deletedIds: messages.filter(({ deleted }) => deleted === 1).map(({ id }) => id),
    ...(row.queue_version > version && { queue: await queueOf(db, row.id) }),
    requests: requests.map(toRequest),
  };
}

/** Lists the calls whose answer was lost: someone must look at what they did. */
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

async function visibleChat(
  db: StateDb,
  { chatId, owner }: Partial<OwnedChat> & { chatId: string },
): Promise<ChatRow> {
  const row = await db.selectFrom('chats').selectAll().where('id', '=', chatId).executeTakeFirst();
  const isVisible = row?.deleted === 0 && (owner === undefined || row.owner === owner);
  if (row !== undefined && isVisible) return row;
  throw chatNotFound(chatId);
}

async function readHistory(db: StateDb, chatId: string): Promise<Message[]> {
  return (await history(db, chatId).execute()).map(toMessage);
}

/** Every change of a message writes its revision, and a new one comes after all others. */
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

async function queueOf(db: StateDb, chatId: string): Promise<QueuedMessage[]> {
  const rows = await db
    .selectFrom('chat_queue')
    .selectAll()
    .where('chat_id', '=', chatId)
    .orderBy('position')
    .execute();
  return rows.map(toQueued);
}

/** A cursor that was not made here begins before every chat. */
function readCursor(cursor: string): { createdAt: number; id: string } {
  const [time = '', ...id] = cursor.split('.');
  const createdAt = Number(time);
  return { createdAt: Number.isSafeInteger(createdAt) ? createdAt : 0, id: id.join('.') };
}
