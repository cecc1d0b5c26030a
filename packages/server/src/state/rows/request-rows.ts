/** Request rows: inserted with their message, and ended exactly once with a receipt. */
import type { RawBuilder } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import { write } from '@truecast/store/internal/write';
import type { ChatRequestRow } from '@truecast/store/internal/tables/chats';
import type { RequestLimits } from '@truecast/client/internal/wire/message-parts';
import type { RequestError } from '@truecast/client/internal/wire/receipt';
import { endingError } from '../../turn/end-request.ts';
import { appendMessages, toFlag, type NewMessage } from './append-messages.ts';
import { ANY_REQUEST } from './chat-notice.ts';
import { toMicroUsd } from '../../contract/micro-usd.ts';
import { refusal, type ChatUpdate } from './chat-update.ts';
import {
  endingOfTurn,
  observedReceipt,
  statusOf,
  type EndingCode,
  type ReceiptEnding,
} from './ending-of-turn.ts';
import { RECEIPT_FORM, versionOf } from '../../contract/stored-versions.ts';

/** Position of a request's message: in the history or in the queue. */
type RequestPlace = { readonly messageId: number } | { readonly queuedId: number };

/** Opens the request of a message with a response format. */
export async function openRequest(
  update: ChatUpdate,
  message: NewMessage,
  place: RequestPlace,
): Promise<void> {
  const row = newRequestRow(update, message, place);
  if (row === undefined) return;
  await write(update.tx, update.db.insertInto('chat_requests').values(row));
  if (row.status === 'running') update.next.request_id = row.id;
}

/** Returns the row of a message's new request. Undefined without a response format. */
export function newRequestRow(
  { next, revision, now }: ChatUpdate,
  { request }: NewMessage,
  place: RequestPlace,
): ChatRequestRow | undefined {
  if (request === undefined) return undefined;
  const isRunning = 'messageId' in place;
  return {
    id: request.format.request_id,
    chat_id: next.id,
    owner: next.owner,
    status: isRunning ? 'running' : 'queued',
    message_id: isRunning ? place.messageId : null,
    queued_id: isRunning ? null : place.queuedId,
    name: request.format.name,
    attempt_count: null,
    duration_ms: null,
    cost_micro_usd: null,
    schema_text: request.format.schema_text,
    schema_hash: request.schemaHash,
    limits: JSON.stringify(request.format.limits),
    receipt_version: versionOf(RECEIPT_FORM),
    value_text: null,
    value_hash: null,
    numbers_exact: null,
    error: null,
    mode: null,
    attempts: '[]',
    model: null,
    dialect: null,
    usage: null,
    revision,
    created_at: now,
    started_at: isRunning ? now : null,
    ended_at: null,
    deadline_at: deadlineOf(request.format.limits, now),
    erased: 0,
  };
}

function deadlineOf({ deadline_seconds }: RequestLimits, now: number): number | null {
  return deadline_seconds === undefined ? null : now + deadline_seconds * 1_000;
}

/** Marks a queued request as running. */
export async function startRequest(update: ChatUpdate, requestId: string, messageId: number): Promise<void> {
  const { db, next, revision, now } = update;
  const { numUpdatedRows } = await db
    .updateTable('chat_requests')
    .set({ status: 'running', message_id: messageId, revision, started_at: now })
    .where('id', '=', requestId)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow();
  assertEndedOnce(Number(numUpdatedRows), update, requestId);
  next.request_id = requestId;
}

/**
 * Writes the receipt of the running request and its row in the history.
 *
 * @throws ChatStateError `request-ended` if it already has a receipt
 */
export async function endRunning(update: ChatUpdate, given: ReceiptEnding | EndingCode): Promise<void> {
  const { next } = update;
  const requestId = next.request_id;
  if (requestId === null) return;
  const ending = typeof given === 'string' ? await endingOfTurn(update, requestId, given) : given;
  await writeReceipt(update, requestId, ending);
  next.request_id = null;
  const { status, error } = ending;
  const outcome = { type: 'outcome', request_id: requestId, status, ...(error && { error }) } as const;
  await appendMessages(update, [{ role: 'assistant', visibility: 'user', parts: [outcome] }]);
}

/**
 * Writes the receipt of the running request, whose message is being deleted with everything after
 * it.
 */
export async function endRunningUnseen(update: ChatUpdate, code: EndingCode): Promise<void> {
  const { next } = update;
  if (next.request_id === null) return;
  await writeReceipt(update, next.request_id, await endingOfTurn(update, next.request_id, code));
  next.request_id = null;
}

/** Writes the receipts of queued requests: of one, or of all. */
export async function endQueued(
  update: ChatUpdate,
  code: 'superseded' | 'queue_deleted' | 'chat_deleted' | 'deadline_exceeded',
  requestId?: string,
): Promise<void> {
  const { db, next } = update;
  const ending = { status: statusOf(code), error: endingError(code), attempts: [] };
  const query = db
    .updateTable('chat_requests')
    .set(receiptColumns(update, ending))
    .where('chat_id', '=', next.id)
    .where('status', '=', 'queued')
    .returning(STARTED);
  update.ended.push(requestId ?? ANY_REQUEST);
  const rows = await (requestId === undefined ? query : query.where('id', '=', requestId)).execute();
  if (requestId !== undefined) assertEndedOnce(rows.length, update, requestId);
  reportReceipts(update, rows, ending);
}

async function writeReceipt(update: ChatUpdate, requestId: string, ending: ReceiptEnding): Promise<void> {
  update.ended.push(requestId);
  const query = update.db
    .updateTable('chat_requests')
    .set(receiptColumns(update, ending))
    .where('id', '=', requestId)
    .where('status', '=', 'running');
  const { request } = update;
  if (request?.id === requestId && request.status === 'running') {
    // The row is locked, so the query changes it.
    await write(update.tx, query);
    reportReceipts(update, [request], ending);
    return;
  }
  const rows = await query.returning(STARTED).execute();
  assertEndedOnce(rows.length, update, requestId);
  reportReceipts(update, rows, ending);
}

const STARTED = ['id', 'created_at', 'started_at'] as const;

/** Reports receipts after their commit, and notes the numbers of the newest answer or failure in the chat. */
function reportReceipts(
  update: ChatUpdate,
  rows: readonly Pick<ChatRequestRow, (typeof STARTED)[number]>[],
  ending: ReceiptEnding,
): void {
  const { tx, context, now, next } = update;
  const newest = ending.status === 'canceled' ? undefined : rows.at(-1);
  if (newest !== undefined) {
    const durationMs = now - (newest.started_at ?? newest.created_at);
    next.last_attempts = ending.attempts.length;
    next.last_duration_ms = durationMs < 0 ? null : durationMs;
    next.last_cost_micro_usd = microUsdOf(ending);
  }
  const { owner: ownerId, id: chatId, traceparent } = update.chat;
  const origin = { ownerId, chatId, ...(traceparent !== null && { traceparent }) };
  for (const { id, created_at, started_at } of rows) {
    const receipt = observedReceipt(ending, now - (started_at ?? created_at));
    tx.afterCommit(() => context.onReceipt({ ...receipt, origin, requestId: id }));
  }
}

/** Columns that a receipt leaves as they are. */
type KeptColumn = 'id' | 'chat_id' | 'owner' | 'name' | 'schema_text' | 'schema_hash' | 'limits' | 'erased';
type PlaceColumn = 'message_id' | 'queued_id' | 'created_at' | 'started_at' | 'deadline_at';

/** A new column of the table is missing here, until it is written or kept. */
function receiptColumns(
  { revision, now }: ChatUpdate,
  ending: ReceiptEnding,
): Omit<ChatRequestRow, KeptColumn | PlaceColumn | 'duration_ms'> & { readonly duration_ms: Duration } {
  return {
    status: ending.status,
    revision,
    ended_at: now,
    receipt_version: versionOf(RECEIPT_FORM),
    value_text: ending.value_text ?? null,
    value_hash: ending.value_hash ?? null,
    numbers_exact: toFlag(ending.numbers_exact),
    error: ending.error === undefined ? null : JSON.stringify(ending.error satisfies RequestError),
    mode: ending.mode ?? null,
    attempts: JSON.stringify(ending.attempts),
    attempt_count: ending.attempts.length,
    duration_ms: durationAt(now),
    cost_micro_usd: microUsdOf(ending),
    model: ending.model ?? null,
    dialect: ending.dialect ?? null,
    usage: ending.usage === undefined ? null : JSON.stringify(ending.usage),
  };
}

type Duration = RawBuilder<number | null>;

/** Duration of the row's request, in the statement that ends it: the row is not always read before. */
function durationAt(now: number): Duration {
  const start = sql`coalesce(started_at, created_at)`;
  return sql`case when ${start} <= ${now} then ${now} - ${start} end`;
}

/** Millionths of a US dollar. Null without a known cost. */
function microUsdOf({ usage }: ReceiptEnding): number | null {
  return usage?.cost_usd === undefined ? null : toMicroUsd(usage.cost_usd);
}

function assertEndedOnce(changedRows: number, update: ChatUpdate, requestId: string): void {
  if (changedRows === 1) return;
  const message = 'The request already has its receipt. Nothing was changed; read the receipt.';
  throw refusal(update, 'request-ended', message, { subject: requestId });
}
