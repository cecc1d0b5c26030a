/**
 * Ledger of tool calls: each is written with its step, claimed before it runs, and answered once.
 *
 * reserved → running → done. A call whose result was lost is `unknown`. A call that never ran is
 * `no_effect`.
 */
import type { RowPart } from '../../contract/rows.ts';
import { rowChunks } from '@truecast/store/internal/row-chunks';
import { write } from '@truecast/store/internal/write';
import type { ToolExecutionRow } from '@truecast/store/internal/tables/chats';
import type { ToolResultPart } from '@truecast/client/internal/wire/message-parts';
import { runningResult, syntheticResult, type UnansweredReason } from '../../turn/synthetic-results.ts';
import { appendMessages } from './append-messages.ts';
import { refusal, type ChatUpdate } from './chat-update.ts';

/** A call that a step requests. Provider-executed calls are not in the ledger. */
export interface ToolCallReservation {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Fingerprint of the arguments. A claim must have the same one. */
  readonly inputHash: string;
  /** True if a second run is harmless. */
  readonly idempotentHint: boolean;
  readonly runBy: 'server' | 'client';
  /** True if the call creates a durable run, whose id is that of the call. @default false */
  readonly isDurable?: boolean;
}

/** Key of a call. It includes the message, because providers repeat call ids across steps. */
export interface ToolCallKey {
  readonly messageId: number;
  readonly toolCallId: string;
}

/** The result of a call, and the call's status. */
export interface ToolCallResult extends ToolCallKey {
  readonly part: ToolResultPart;
  /** @default 'done' */
  readonly effect?: 'done' | 'unknown' | 'no_effect';
}

const OUTSTANDING = ['message_id', 'tool_call_id', 'tool_name', 'run_by', 'status'] as const;

/** A call without a result in the history. */
export type OutstandingCall = Pick<ToolExecutionRow, (typeof OUTSTANDING)[number]>;

/** The SQL expression grows by one level per call. */
const KEYS_PER_STATEMENT = 250;

export async function reserveCalls(
  { tx, db, next, now }: ChatUpdate,
  messageId: number,
  calls: readonly ToolCallReservation[],
): Promise<void> {
  if (calls.length === 0) return;
  const rows = calls.map((call, position) => ({
    chat_id: next.id,
    message_id: messageId,
    tool_call_id: call.toolCallId,
    position,
    tool_name: call.toolName,
    run_by: call.runBy,
    input_hash: call.inputHash,
    idempotent: call.idempotentHint ? (1 as const) : (0 as const),
    status: 'reserved',
    answered: 0 as const,
    created_at: now,
  }));
  for (const chunk of rowChunks(rows)) await write(tx, db.insertInto('tool_executions').values(chunk));
}

/** Calls without a result, in request order. */
export async function outstandingCalls({ db, next }: ChatUpdate): Promise<OutstandingCall[]> {
  return db
    .selectFrom('tool_executions')
    .select(OUTSTANDING)
    .where('chat_id', '=', next.id)
    .where('answered', '=', 0)
    .orderBy('message_id')
    .orderBy('position')
    .execute();
}

/**
 * Appends results to the history as one message and updates their calls.
 *
 * @throws ChatStateError `unexpected-tool-result` for an unknown or answered call
 */
export async function settleCalls(update: ChatUpdate, results: readonly ToolCallResult[]): Promise<number[]> {
  if (results.length === 0) return [];
  for (const effect of ['done', 'unknown', 'no_effect'] as const) {
    await markAnswered(
      update,
      effect,
      results.filter((result) => (result.effect ?? 'done') === effect),
    );
  }
  const parts: RowPart[] = results.map(({ part }) => part);
  return appendMessages(update, [{ role: 'tool', parts }]);
}

/** Answers every open call, so that no prompt contains a call without a result. */
export async function answerOutstanding(update: ChatUpdate, reason: UnansweredReason): Promise<void> {
  const calls = await outstandingCalls(update);
  await settleCalls(
    update,
    calls.map((call) => ({
      messageId: call.message_id,
      toolCallId: call.tool_call_id,
      // A running call can have had its effect. So can any call of a client, because clients do not
      // report the start of a call.
      effect: call.status === 'reserved' ? 'no_effect' : 'unknown',
      part: call.status === 'reserved' ? syntheticResult(call, reason) : runningResult(call, reason),
    })),
  );
}

/** Closes the calls of messages that an edit removes. */
export async function abandonCalls({ db, next, now }: ChatUpdate): Promise<void> {
  const open = db.updateTable('tool_executions').where('chat_id', '=', next.id).where('answered', '=', 0);
  await open
    .set(({ case: when }) => ({
      status: when().when('status', '=', 'reserved').then('no_effect').else('unknown').end(),
      answered: 1,
      ended_at: now,
    }))
    .execute();
}

async function markAnswered(
  update: ChatUpdate,
  status: 'done' | 'unknown' | 'no_effect',
  keys: readonly ToolCallKey[],
): Promise<void> {
  let answered = 0n;
  for (const chunk of rowChunks(keys, KEYS_PER_STATEMENT)) answered += await markKeys(update, status, chunk);
  if (answered === BigInt(keys.length)) return;
  throw refusal(
    update,
    'unexpected-tool-result',
    'A result is for an unknown call, or for one that already has a result. Commit each result once, with its message.',
  );
}

/** Returns how many of the calls had no result yet. */
async function markKeys(
  { db, next, now }: ChatUpdate,
  status: 'done' | 'unknown' | 'no_effect',
  keys: readonly ToolCallKey[],
): Promise<bigint> {
  const { numUpdatedRows } = await db
    .updateTable('tool_executions')
    .set({ status, answered: 1, ended_at: now })
    .where('chat_id', '=', next.id)
    .where('answered', '=', 0)
    .where(({ or, and, eb }) =>
      or(
        keys.map(({ messageId, toolCallId }) =>
          and([eb('message_id', '=', messageId), eb('tool_call_id', '=', toolCallId)]),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows;
}
