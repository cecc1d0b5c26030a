/**
 * The single code path for chat changes: a transaction with the row locked, the transition checked,
 * counters incremented, and notifications after the commit.
 *
 * lock → fence → table → work → table again → one write of the row → stored response → commit →
 * notify.
 */
import { ChatStateError, type ChatStateErrorCode } from '@truecast/core/internal/errors/chat-state-error';
import { forUpdate } from '@truecast/store/internal/locks';
import { write } from '@truecast/store/internal/write';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { ChatRequestRow, StoredChat } from '@truecast/store/internal/tables/chats';
import type { RowStatus } from '../../contract/rows.ts';
import { storeResponse, type Idempotency } from './idempotency.ts';
import { encodeChatNotice } from './chat-notice.ts';
import { CHAT_CHANNEL, type MachineContext, type StateDb } from './machine-context.ts';
import {
  assertAllowed,
  assertEnding,
  chatNotFound,
  stateOf,
  type ChatState,
  type Transition,
} from './transition-table.ts';

/**
 * Fencing token of a worker: its commit is accepted only while the chat's row contains the same
 * token.
 */
export interface Fence {
  readonly chatId: string;
  /** Differs for each acquisition. */
  readonly runner: string;
  readonly historyVersion: number;
  readonly attempt: number;
  /** The chat's version when the fence was made. Notifications up to it are old. */
  readonly version: number;
  /** The turn's request. */
  readonly requestId?: string;
  /** Trace of the turn. */
  readonly traceparent?: string;
}

/** A writable copy of a chat row. */
export type DraftRow = { -readonly [TColumn in keyof StoredChat]: StoredChat[TColumn] };

/** A change in progress. Changes of `next` are written once, at the end. */
export interface ChatUpdate {
  readonly context: MachineContext;
  readonly tx: StoreTransaction;
  readonly db: StateDb;
  readonly now: number;
  readonly transition: Transition;
  readonly from: ChatState;
  /** The row as locked. */
  readonly chat: StoredChat;
  /** The turn's request, if its row was locked together with the chat. */
  readonly request?: LockedRequest | undefined;
  readonly next: DraftRow;
  /** The new version, written to every row of this change. */
  readonly revision: number;
  /** Ids of requests that this change ended. Their waiting clients read again. */
  readonly ended: string[];
}

export type LockedRequest = Pick<ChatRequestRow, 'id' | 'status' | 'created_at' | 'started_at'>;

/** The author of the change: the owner for a client, the fence for a worker. */
export interface WriteAuthority<T> {
  readonly owner?: string;
  readonly fence?: Fence;
  readonly idempotency?: Idempotency<T> | undefined;
}

/**
 * Changes of the tool ledger only. They are invisible to clients, so the chat's row stays
 * unchanged.
 */
const SILENT: ReadonlySet<Transition> = new Set(['claimTool', 'markUnknown']);

/** Changes that write the receipt of the turn's request. */
const ENDINGS: ReadonlySet<Transition> = new Set(['finishTurn', 'failTurn']);

/**
 * Changes a chat atomically.
 *
 * @throws ChatStateError `chat-not-found`, `superseded`, `not-allowed`, and refusals of `work`
 */
export async function updateChat<T>(
  context: MachineContext,
  chatId: string,
  transition: Transition,
  authority: WriteAuthority<T>,
  work: (update: ChatUpdate) => Promise<T>,
): Promise<T> {
  return context.changes.run(() =>
    context.store.transaction((tx) => updateChatIn(context, tx, chatId, transition, authority, work)),
  );
}

/** Error that refuses a change. `facts` are the call, message or request concerned, and the limit. */
export function refusal(
  { chat, transition, from }: ChatUpdate,
  code: ChatStateErrorCode,
  message: string,
  facts: { readonly subject?: string; readonly limit?: number } = {},
): ChatStateError {
  return new ChatStateError(message, { code, chatId: chat.id, transition, from, ...facts });
}

/** Resolves with false if the change is not allowed any more, because another one was faster. */
export async function isDone(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (ChatStateError.isInstance(error)) return false;
    throw error;
  }
}

/** Changes a chat as part of another change. Lock order: a parent before its children. */
export async function updateChatIn<T>(
  context: MachineContext,
  tx: StoreTransaction,
  chatId: string,
  transition: Transition,
  authority: WriteAuthority<T>,
  work: (update: ChatUpdate) => Promise<T>,
): Promise<T> {
  const { db } = tx;
  const ending = ENDINGS.has(transition) ? authority.fence?.requestId : undefined;
  const { chat, request } = await lockWithRequest(tx, chatId, ending);
  assertVisible(chat, chatId, transition, authority.owner);
  if (authority.fence !== undefined) assertFence(chat, authority.fence, transition);
  const from = stateOf(rowFacts(chat));
  assertAllowed(transition, from, chatId);
  const revision = chat.version + 1;
  const now = context.now();
  const next = SILENT.has(transition) ? { ...chat } : { ...chat, version: revision, updated_at: now };
  const ended: string[] = [];
  const update = { context, tx, db, now, transition, from, chat, request, next, revision, ended };
  const result = await work(update);
  if (!SILENT.has(transition)) await writeChat(update);
  if (authority.idempotency !== undefined) {
    await storeResponse(db, chat, authority.idempotency, result, now);
  }
  if (!SILENT.has(transition)) await announce(update);
  return result;
}

/** Notifies of a change after its commit. */
export async function announce({ context, tx, next, ended }: ChatUpdate): Promise<void> {
  const { id, owner } = next;
  await tx.notify(CHAT_CHANNEL, encodeChatNotice(next, ended));
  if (isFree(next)) tx.afterCommit(() => context.onRunnable(id, owner));
}

/** Returns true if the chat has work now, and no worker. */
export function isFree({ status, runner, retry_at, deleted }: StoredChat): boolean {
  const hasWork = status === 'running' || status === 'interrupting';
  return hasWork && runner === null && retry_at === null && deleted === 0;
}

/** The worker's state after a commit, from which it can continue. */
export function nextFence({ next }: ChatUpdate, runner: string): Fence {
  const { id: chatId, history_version: historyVersion, attempt, version, traceparent } = next;
  const trace = traceparent === null ? {} : { traceparent };
  const request = next.request_id === null ? {} : { requestId: next.request_id };
  return { chatId, runner, historyVersion, attempt, version, ...request, ...trace };
}

/** The columns that determine a chat's state. */
export function rowFacts({ status, queue_length }: StoredChat): { status: RowStatus; queueLength: number } {
  // A table constraint limits the column to these values.
  return { status: status as RowStatus, queueLength: queue_length };
}

/** Reads and locks a chat row until the transaction ends. */
export async function lockChat(tx: StoreTransaction, chatId: string): Promise<StoredChat | undefined> {
  return forUpdate(tx, tx.db.selectFrom('chats').selectAll().where('id', '=', chatId)).executeTakeFirst();
}

/**
 * Locks a chat together with its request in one statement, so that the update to the receipt changes
 * exactly one row and need not be awaited. On SQLite a wait costs nothing.
 */
async function lockWithRequest(
  tx: StoreTransaction,
  chatId: string,
  requestId: string | undefined,
): Promise<{ readonly chat: StoredChat | undefined; readonly request?: LockedRequest }> {
  if (tx.dialect !== 'postgres' || requestId === undefined) return { chat: await lockChat(tx, chatId) };
  const row = await tx.db
    .selectFrom('chats')
    .innerJoin('chat_requests', 'chat_requests.chat_id', 'chats.id')
    .selectAll('chats')
    .select([
      'chat_requests.status as receipt_status',
      'chat_requests.created_at as receipt_created_at',
      'chat_requests.started_at as receipt_started_at',
    ])
    .where('chats.id', '=', chatId)
    .where('chat_requests.id', '=', requestId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return { chat: await lockChat(tx, chatId) };
  const { receipt_status: status, receipt_created_at: created_at, receipt_started_at, ...chat } = row;
  return { chat, request: { id: requestId, status, created_at, started_at: receipt_started_at } };
}

function assertVisible(
  chat: StoredChat | undefined,
  chatId: string,
  transition: Transition,
  owner: string | undefined,
): asserts chat is StoredChat {
  const isHidden = chat === undefined || chat.deleted === 1;
  if (isHidden || (owner !== undefined && chat.owner !== owner)) throw chatNotFound(chatId, transition);
}

function assertFence(chat: StoredChat, fence: Fence, transition: Transition): void {
  const isHeld =
    chat.runner === fence.runner &&
    chat.history_version === fence.historyVersion &&
    chat.attempt === fence.attempt;
  if (isHeld) return;
  throw new ChatStateError(
    'Another worker, an edit or a later attempt has taken over this turn. Discard the work and acquire the lease again.',
    { code: 'superseded', chatId: chat.id, transition, from: stateOf(rowFacts(chat)) },
  );
}

/** Writes the changed columns with the new version. */
async function writeChat({ tx, db, chat, next, transition, from }: ChatUpdate): Promise<void> {
  assertEnding(transition, from, next.deleted === 1 ? 'none' : stateOf(rowFacts(next)), chat.id);
  const changed = Object.fromEntries(
    Object.entries(next).filter(([column, value]) => chat[column as keyof StoredChat] !== value),
  );
  await write(tx, db.updateTable('chats').set(changed).where('id', '=', chat.id));
}
