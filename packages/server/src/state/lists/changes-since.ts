/** Changes of a chat since a version, in pages: a slow reader must not hold a whole history in memory. */
import {
  toChat,
  toRequest,
  toShownMessage,
  type Chat,
  type Message,
  type QueuedMessage,
  type RequestRecord,
} from '../rows/chat-records.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { bytesOf, readPage } from './bounded-page.ts';
import { queueOf, visibleChat } from './visible-chat.ts';

/** Where a reader is. */
export interface ChangesQuery {
  readonly owner: string;
  readonly chatId: string;
  /** All changes up to this version were read. */
  readonly version: number;
  /** End of the last page. @default the changes after `version` */
  readonly after?: PagePosition;
  /** Deletions up to this version were read. @default `version` */
  readonly deletionsAfter?: number;
}

/** Changes are in the order of their revision. In one revision, messages come before requests. */
export interface PagePosition {
  readonly revision: number;
  /** The last message of the revision that was read. Undefined if all were. */
  readonly messageId?: number;
  /** The last request of the revision that was read, `''` before the first. Undefined if all were. */
  readonly requestId?: string;
}

/** Changes of a chat since a version, or the first of them. */
export interface ChatChanges {
  readonly chat: Chat;
  /** New messages, by revision. */
  readonly messages: readonly Message[];
  /** Ids of messages that an edit removed. */
  readonly deletedIds: readonly number[];
  /** The whole queue, if it changed. */
  readonly queue?: readonly QueuedMessage[];
  readonly requests: readonly RequestRecord[];
  /** End of the page, if it is not the last one. A message after it is there for the one before it. */
  readonly end?: PagePosition;
}

/** Reads a page of changes. Undefined without any. `db` must be one consistent snapshot. */
export async function changesSince(db: StateDb, query: ChangesQuery): Promise<ChatChanges | undefined> {
  const { version, after = { revision: version }, deletionsAfter = version, ...owned } = query;
  const row = await visibleChat(db, owned);
  if (row.version <= version) return undefined;
  const messages = await messagesAfter(db, row.id, after);
  const requests = await requestsAfter(db, row.id, after);
  const end = firstOf(messages.end, requests.end);
  const deleted = messages.rows.filter(
    (message) => message.deleted === 1 && message.revision > deletionsAfter,
  );
  return {
    chat: toChat(row),
    messages: messages.rows.filter((message) => message.deleted === 0).map(toShownMessage),
    deletedIds:
      end === undefined ? deleted.map(({ id }) => id) : await deletedAfter(db, row.id, deletionsAfter),
    ...(row.queue_version > version && { queue: await queueOf(db, row.id) }),
    requests: requests.rows.map(toRequest),
    ...(end !== undefined && { end }),
  };
}

async function messagesAfter(db: StateDb, chatId: string, { revision, messageId }: PagePosition) {
  const query = db
    .selectFrom('chat_messages')
    .where('chat_id', '=', chatId)
    .where('visibility', '<>', 'model')
    .where('revision', messageId === undefined ? '>' : '>=', revision)
    .$if(messageId !== undefined, (open) =>
      open.where((where) => where.or([where('revision', '>', revision), where('id', '>', messageId ?? 0)])),
    )
    .orderBy('revision')
    .orderBy('id');
  const size = bytesOf('parts');
  const { rows, isCut } = await readPage(query.selectAll(), query.select(size));
  // The last message stays for the next page: whether a submission was accepted is in the message after it.
  const last = isCut ? (rows.at(-2) ?? rows.at(-1)) : undefined;
  return {
    rows,
    ...(last !== undefined && { end: { revision: last.revision, messageId: last.id, requestId: '' } }),
  };
}

async function requestsAfter(db: StateDb, chatId: string, { revision, requestId }: PagePosition) {
  const query = db
    .selectFrom('chat_requests')
    .where('chat_id', '=', chatId)
    .where('revision', requestId === undefined ? '>' : '>=', revision)
    .$if(requestId !== undefined, (open) =>
      open.where((where) => where.or([where('revision', '>', revision), where('id', '>', requestId ?? '')])),
    )
    .orderBy('revision')
    .orderBy('id');
  const size = bytesOf('schema_text', 'attempts', 'value_text');
  const { rows, isCut } = await readPage(query.selectAll(), query.select(size));
  const last = isCut ? rows.at(-1) : undefined;
  return { rows, ...(last !== undefined && { end: { revision: last.revision, requestId: last.id } }) };
}

async function deletedAfter(db: StateDb, chatId: string, version: number): Promise<number[]> {
  const rows = await db
    .selectFrom('chat_messages')
    .select('id')
    .where('chat_id', '=', chatId)
    .where('revision', '>', version)
    .where('visibility', '<>', 'model')
    .where('deleted', '=', 1)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

function firstOf(
  messages: PagePosition | undefined,
  requests: PagePosition | undefined,
): PagePosition | undefined {
  if (messages === undefined || requests === undefined) return messages ?? requests;
  return messages.revision <= requests.revision ? messages : requests;
}
