/**
 * Owns the one way in which a chat changes: a transaction, its row locked, the transition checked against that row, the counters up, and the notifications after the commit.
 *
 * lock → fence → table → work → table again → one write of the row → stored response → commit → notify.
 */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import type { StoreTransaction } from '../../store/store.ts';
import type { ChatRow } from '../../store/tables/chats.ts';
import type { ChatStatus } from '../contract/rows.ts';
import { storeResponse, type Idempotency } from './idempotency.ts';
import { CHAT_CHANNEL, type MachineContext, type StateDb } from './machine-context.ts';
import {
  assertAllowed,
  assertEnding,
  chatNotFound,
  stateOf,
  type ChatState,
  type Transition,
} from './transitions.ts';

/** Who works on what: a commit of a worker counts only while the chat's row says the same. */
export interface Fence {
  readonly chatId: string;
  /** New with each acquisition. */
  readonly runner: string;
  readonly historyVersion: number;
  readonly attempt: number;
}

/** A chat's row that may be written. */
export type DraftRow = { -readonly [TColumn in keyof ChatRow]: ChatRow[TColumn] };

/** A change under way. What `work` does to `next` is written once, at the end. */
export interface ChatUpdate {
  readonly context: MachineContext;
  readonly tx: StoreTransaction;
  readonly db: StateDb;
  readonly now: number;
  readonly transition: Transition;
  readonly from: ChatState;
  /** The row as it was locked. */
  readonly chat: ChatRow;
  readonly next: DraftRow;
  /** The version that this change makes; written into every row that it touches. */
  readonly revision: number;
}

/** Whose change it is. A client's names the owner, a worker's the fence. */
export interface Authority<T> {
  readonly owner?: string;
  readonly fence?: Fence;
  readonly idempotency?: Idempotency<T> | undefined;
}

/** Changes of the ledger alone, which no client sees: the chat's own row stays as it is. */
const SILENT: ReadonlySet<Transition> = new Set(['claimTool', 'markUnknown']);

/**
 * Changes a chat, or leaves it exactly as it was.
 *
 * @throws ChatStateError `chat-not-found`, `superseded`, `not-allowed`, and whatever `work` refuses
 */
export async function updateChat<T>(
  context: MachineContext,
  chatId: string,
  transition: Transition,
  authority: Authority<T>,
  work: (update: ChatUpdate) => Promise<T>,
): Promise<T> {
  return context.store.transaction((tx) => updateChatIn(context, tx, chatId, transition, authority, work));
}

/** Changes a chat as a part of another change. Chats are locked in one order: a parent before its children. */
export async function updateChatIn<T>(
  context: MachineContext,
  tx: StoreTransaction,
  chatId: string,
  transition: Transition,
  authority: Authority<T>,
  work: (update: ChatUpdate) => Promise<T>,
): Promise<T> {
  const { db } = tx;
  const chat = await lockChat(tx, chatId);
  assertVisible(chat, chatId, transition, authority.owner);
  if (authority.fence !== undefined) assertFence(chat, authority.fence, transition);
  const from = stateOf(rowFacts(chat));
  assertAllowed(transition, from, chatId);
  const revision = chat.version + 1;
  const now = context.now();
  const next = SILENT.has(transition) ? { ...chat } : { ...chat, version: revision, updated_at: now };
  const update = { context, tx, db, now, transition, from, chat, next, revision };
  const result = await work(update);
  if (!SILENT.has(transition)) await writeChat(update);
  if (authority.idempotency !== undefined) {
    await storeResponse(db, chat.owner, authority.idempotency, result, now);
  }
  if (!SILENT.has(transition)) await announce(context, tx, update.next);
  return result;
}

/** Tells of a change once it is committed. */
export async function announce(
  context: MachineContext,
  tx: StoreTransaction,
  { id, status, runner, deleted }: ChatRow,
): Promise<void> {
  await tx.notify(CHAT_CHANNEL, id);
  const hasWork = status === 'running' || status === 'interrupting';
  if (hasWork && runner === null && deleted === 0) tx.afterCommit(() => context.onRunnable(id));
}

/** What the worker holds after a commit that it may go on from. */
export function nextFence({ next }: ChatUpdate, runner: string): Fence {
  return { chatId: next.id, runner, historyVersion: next.history_version, attempt: next.attempt };
}

/** What of a row decides its state. */
export function rowFacts({ status, queue_length }: ChatRow): { status: ChatStatus; queueLength: number } {
  // The table's own constraint holds the column to these words.
  return { status: status as ChatStatus, queueLength: queue_length };
}

/** Reads a chat's row, which no other transaction changes until this one ends. */
export async function lockChat(
  { db, dialect }: StoreTransaction,
  chatId: string,
): Promise<ChatRow | undefined> {
  const query = db.selectFrom('chats').selectAll().where('id', '=', chatId);
  // On SQLite a transaction has the whole database to itself.
  return (dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

function assertVisible(
  chat: ChatRow | undefined,
  chatId: string,
  transition: Transition,
  owner: string | undefined,
): asserts chat is ChatRow {
  const isHidden = chat === undefined || chat.deleted === 1;
  if (isHidden || (owner !== undefined && chat.owner !== owner)) throw chatNotFound(chatId, transition);
}

function assertFence(chat: ChatRow, fence: Fence, transition: Transition): void {
  const isHeld =
    chat.runner === fence.runner &&
    chat.history_version === fence.historyVersion &&
    chat.attempt === fence.attempt;
  if (isHeld) return;
  throw new ChatStateError(
    'Another worker, an edit or a later attempt has taken this turn over. Drop what was done and acquire anew.',
    { code: 'superseded', chatId: chat.id, transition, from: stateOf(rowFacts(chat)) },
  );
}

/** Writes the columns that changed, with the new version. */
async function writeChat({ db, chat, next, transition, from }: ChatUpdate): Promise<void> {
  assertEnding(transition, from, next.deleted === 1 ? 'none' : stateOf(rowFacts(next)), chat.id);
  const changed = Object.fromEntries(
    Object.entries(next).filter(([column, value]) => chat[column as keyof ChatRow] !== value),
  );
  await db.updateTable('chats').set(changed).where('id', '=', chat.id).execute();
}
