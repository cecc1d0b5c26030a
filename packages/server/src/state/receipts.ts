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
import { waitForEnd } from '../pacing/wait-for-end.ts';

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
  const first = waitMs > 0 && owned.chatId !== undefined ? undefined : await readRow(db, owned);
  if (first !== undefined && (hasEnded(first) || waitMs <= 0)) return toRequest(first);
  const chatId = first?.chat_id ?? owned.chatId ?? '';
  const row = await waitForEnd({
    read: () => readRow(db, owned),
    hasEnded,
    listen: (wake) =>
      hints.onChat(chatId, (notice) => {
        if (mayHaveEnded(notice, owned.requestId)) wake();
      }),
    waitMs,
    signal,
  });
  return toRequest(row);
}

function hasEnded({ status }: ChatRequestRow): boolean {
  return status !== 'queued' && status !== 'running';
}
