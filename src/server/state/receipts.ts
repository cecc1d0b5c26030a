/** Owns reading receipts, and waiting for one: they outlive the turn, the process and the chat. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import { toRequest, type RequestRecord } from './chat-records.ts';
import type { StateDb } from './machine-context.ts';

/** A request of an owner's; with `chatId` only if it is that chat's. */
export interface OwnedRequest {
  readonly owner: string;
  readonly requestId: string;
  readonly chatId?: string;
}

/** How long to wait for a receipt. */
export interface ReceiptWait extends OwnedRequest {
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** What tells that a chat may have changed; hints that may be lost. */
export interface ChatHints {
  /** Calls `listener` after commits of the chat, until the returned function is called. */
  readonly onChat: (chatId: string, listener: () => void) => () => void;
}

/** How often a receipt that is waited for is looked up where no hint comes. */
const POLL_MS = 1_000;

/** Reads a request. @throws ChatStateError `request-not-found` */
export async function readRequest(
  db: StateDb,
  { owner, requestId, chatId }: OwnedRequest,
): Promise<RequestRecord> {
  const row = await db
    .selectFrom('chat_requests')
    .selectAll()
    .where('id', '=', requestId)
    .where('owner', '=', owner)
    .executeTakeFirst();
  if (row !== undefined && (chatId === undefined || row.chat_id === chatId)) return toRequest(row);
  throw new ChatStateError('There is no such request. Check its id and the token.', {
    code: 'request-not-found',
    subject: requestId,
  });
}

/** Waits until a request has ended, and returns it; as it stands when the time is over or `signal` aborts. */
export async function waitForRequest(
  db: StateDb,
  hints: ChatHints,
  { waitMs, signal, ...owned }: ReceiptWait,
): Promise<RequestRecord> {
  const until = performance.now() + waitMs;
  let record = await readRequest(db, owned);
  while (!hasEnded(record)) {
    const leftMs = until - performance.now();
    if (leftMs <= 0 || signal?.aborted === true) return record;
    await nextHint(hints, record.chatId, Math.min(leftMs, POLL_MS), signal);
    record = await readRequest(db, owned);
  }
  return record;
}

function hasEnded({ status }: RequestRecord): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Resolves at the next hint, after `ms`, or when `signal` aborts. */
function nextHint(hints: ChatHints, chatId: string, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = hints.onChat(chatId, done);
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      stop();
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
}
