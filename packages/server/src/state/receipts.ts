/**
 * Receipt reads and waits. Receipts outlive the turn and the process. Receipts of failures also
 * outlive the chat.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { ChatRequestRow } from '@truecast/store/internal/tables/chats';
import { toRequest, type RequestRecord } from './rows/chat-records.ts';
import type { ChatHints } from './chat-hints.ts';
import { mayHaveEnded } from './rows/chat-notice.ts';
import type { StateDb } from './rows/machine-context.ts';

/** A request of an owner. With `chatId`, only if it belongs to that chat. */
export interface OwnedRequest {
  readonly owner: string;
  readonly requestId: string;
  readonly chatId?: string;
}

export interface ReceiptWait extends OwnedRequest {
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** Poll interval for an awaited receipt without hints. */
const POLL_MS = 1_000;

/** Reads a request. @throws ChatStateError `request-not-found`, also for an erased value */
export async function readRequest(db: StateDb, owned: OwnedRequest): Promise<RequestRecord> {
  return toRequest(await readRow(db, owned));
}

async function readRow(db: StateDb, { owner, requestId, chatId }: OwnedRequest): Promise<ChatRequestRow> {
  const row = await db
    .selectFrom('chat_requests')
    .selectAll()
    .where('id', '=', requestId)
    .where('owner', '=', owner)
    .executeTakeFirst();
  const isKept = row?.status !== 'succeeded' || row.erased === 0;
  if (row !== undefined && isKept && (chatId === undefined || row.chat_id === chatId)) return row;
  throw new ChatStateError('There is no such request. Check its id and the token.', {
    code: 'request-not-found',
    subject: requestId,
  });
}

/**
 * Waits until a request has ended and returns it. Returns its current state at the timeout or when
 * `signal` aborts.
 */
export async function waitForRequest(
  db: StateDb,
  hints: ChatHints,
  { waitMs, signal, ...owned }: ReceiptWait,
): Promise<RequestRecord> {
  const until = performance.now() + waitMs;
  const first = waitMs > 0 && owned.chatId !== undefined ? undefined : await readRow(db, owned);
  if (first !== undefined && (hasEnded(first) || waitMs <= 0)) return toRequest(first);
  const chatId = first?.chat_id ?? owned.chatId ?? '';
  // Reads after the subscription, because earlier commits sent their hints before it.
  using ear = listenTo(hints, { chatId, requestId: owned.requestId }, signal);
  for (;;) {
    const hint = ear.next();
    const row = await readRow(db, owned);
    const leftMs = until - performance.now();
    if (hasEnded(row) || leftMs <= 0 || signal?.aborted === true) return toRequest(row);
    await soonest(hint, Math.min(leftMs, POLL_MS));
  }
}

function hasEnded({ status }: ChatRequestRow): boolean {
  return status !== 'queued' && status !== 'running';
}

interface Ear extends Disposable {
  /** Resolves at the next hint that the request may have ended, or when the signal aborts. */
  next(): Promise<void>;
}

function listenTo(
  hints: ChatHints,
  { chatId, requestId }: { readonly chatId: string; readonly requestId: string },
  signal: AbortSignal | undefined,
): Ear {
  let wake = (): void => undefined;
  const onAbort = (): void => wake();
  const stop = hints.onChat(chatId, (notice) => {
    if (mayHaveEnded(notice, requestId)) wake();
  });
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    next: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      return promise;
    },
    [Symbol.dispose]: () => {
      stop();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Resolves with `hint`, or after `ms`. */
async function soonest(hint: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([hint, promise]);
  clearTimeout(timer);
}
