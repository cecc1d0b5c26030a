/**
 * Owns the ledger of tool calls: each is written with the step that asked for it, claimed before it runs, and answered once.
 *
 * reserved → running → done. A call whose answer was lost is `unknown`; one that never ran is `no_effect`.
 */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import { rowChunks } from '../../store/row-chunks.ts';
import type { MessagePart, ToolResultPart } from '../contract/parts.ts';
import { syntheticResult, type UnansweredReason } from '../turn/synthetic-results.ts';
import { appendMessages } from './append-messages.ts';
import type { ChatUpdate } from './chat-update.ts';

/** Where a call stands. */
export type ExecutionStatus = 'reserved' | 'running' | 'done' | 'unknown' | 'no_effect';

/** A call that a step asks for. Calls that the provider runs itself have no place here. */
export interface ToolCallReservation {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Fingerprint of the arguments: a claim must bring the same. */
  readonly inputHash: string;
  /** Whether running it twice does no harm. */
  readonly isIdempotent: boolean;
  readonly runBy: 'server' | 'client';
}

/** Names a call: providers repeat the ids of calls from step to step. */
export interface ToolCallKey {
  readonly messageId: number;
  readonly toolCallId: string;
}

/** The result of a call, and what became of the call itself. */
export interface ToolCallResult extends ToolCallKey {
  readonly part: ToolResultPart;
  /** @default 'done' */
  readonly effect?: 'done' | 'unknown' | 'no_effect';
}

/** A call whose result does not stand in the history yet. */
export interface OutstandingCall {
  readonly message_id: number;
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly run_by: string;
  readonly status: string;
}

/** An expression grows by one level with each of them. */
const KEYS_PER_STATEMENT = 250;

/** Reserves the calls of a step. */
export async function reserveCalls(
  { db, next, now }: ChatUpdate,
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
    idempotent: call.isIdempotent ? (1 as const) : (0 as const),
    status: 'reserved',
    answered: 0 as const,
    created_at: now,
  }));
  for (const chunk of rowChunks(rows)) await db.insertInto('tool_executions').values(chunk).execute();
}

/** The calls without a result, in the order in which they were asked for. */
export async function outstandingCalls({ db, next }: ChatUpdate): Promise<OutstandingCall[]> {
  return db
    .selectFrom('tool_executions')
    .select(['message_id', 'tool_call_id', 'tool_name', 'run_by', 'status'])
    .where('chat_id', '=', next.id)
    .where('answered', '=', 0)
    .orderBy('message_id')
    .orderBy('position')
    .execute();
}

/**
 * Writes results into the history as one message, and marks their calls.
 *
 * @throws ChatStateError `unexpected-tool-result` for a call that was not asked for, or has its result
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
  const parts: MessagePart[] = results.map(({ part }) => part);
  return appendMessages(update, [{ role: 'tool', parts }]);
}

/** Answers every call that has no result, so that no prompt ever holds a call without one. */
export async function answerOutstanding(update: ChatUpdate, reason: UnansweredReason): Promise<void> {
  const calls = await outstandingCalls(update);
  await settleCalls(
    update,
    calls.map((call) => ({
      messageId: call.message_id,
      toolCallId: call.tool_call_id,
      // One that was running may have had its effect; the client runs its own, and never says when it begins.
      effect: call.status === 'reserved' ? 'no_effect' : 'unknown',
      part: syntheticResult(call, call.status === 'reserved' ? reason : 'unknown'),
    })),
  );
}

/** Closes the calls of messages that an edit takes away; what ran keeps being listed as unknown. */
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
  const { chat, transition, from } = update;
  throw new ChatStateError(
    'A result is for a call that was not asked for, or that has one. Commit each result once, with its message.',
    { code: 'unexpected-tool-result', chatId: chat.id, transition, from },
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
