/** Commits of a turn's worker: steps, tool results, waits, and the ending. */
import { idOfCall } from './client-ids/derived-id.ts';
import { appendMessages, type StepMessage } from './rows/append-messages.ts';
import { toChat, type Chat, type ChatError, type RetryState } from './rows/chat-records.ts';
import { nextFence, refusal, updateChat, type ChatUpdate, type Fence } from './rows/chat-update.ts';
import { assertOverdue, changeChat, endTurn, endTurnInError, settle } from './end-turn.ts';
import { releaseLease } from './leases.ts';
import type { MachineContext } from './rows/machine-context.ts';
import { chargeSteps, chargeTools } from './rows/owner-usage.ts';
import type { ReceiptEnding } from './rows/ending-of-turn.ts';
import {
  answerOutstanding,
  outstandingCalls,
  reserveCalls,
  settleCalls,
  type ToolCallReservation,
  type ToolCallResult,
} from './rows/tool-ledger.ts';

/** Result of one model call: its messages. The first one contains the tool calls. */
export interface StepCommit {
  readonly messages: readonly StepMessage[];
  /** @default [] */
  readonly calls?: readonly ToolCallReservation[];
}

/** Results of a tool batch, in the order of the calls. */
export interface ToolResultsCommit {
  readonly results: readonly ToolCallResult[];
  /** Messages after the results. @default [] */
  readonly messages?: readonly StepMessage[];
}

/** The end of a turn, with the messages committed with it. */
export interface TurnFinish extends Partial<StepCommit> {
  /** Required exactly if the turn has a request. */
  readonly ending?: ReceiptEnding;
  /** True if no call of the turn is open, as the rows of the fence show. @default false */
  readonly hasNoCalls?: boolean;
}

/** The end of an interrupted turn. */
export interface InterruptionFinish extends TurnFinish {
  /** Partial results of stopped calls. Other calls are answered here. @default [] */
  readonly results?: readonly ToolCallResult[];
}

/** A retry, without the time that the state machine adds. */
export interface NewRetry extends Omit<RetryState, 'retryAt'> {
  /** Time after `retryAt` in which only the process that released the chat continues it. @default 0 */
  readonly heldMs?: number;
}

/** The worker's state after a commit. */
export interface Committed {
  readonly fence: Fence;
  readonly messageIds: readonly number[];
}

/** Commits a step and reserves its calls before any of them runs. */
export function commitStep(context: MachineContext, fence: Fence, step: StepCommit): Promise<Committed> {
  return updateChat(context, fence.chatId, 'commitStep', { fence }, async (update) => {
    const messageIds = await appendStep(update, step);
    return { fence: nextFence(update, fence.runner), messageIds };
  });
}

/**
 * Commits the results of a batch. @throws ChatStateError `unexpected-tool-result` for an answered
 * call
 */
export function commitToolResults(
  context: MachineContext,
  fence: Fence,
  { results, messages = [] }: ToolResultsCommit,
): Promise<Committed> {
  return updateChat(context, fence.chatId, 'commitToolResults', { fence }, async (update) => {
    const resultIds = await settleCalls(update, results);
    await chargeTools(update, results);
    const messageIds = [...resultIds, ...(await appendMessages(update, messages))];
    return { fence: nextFence(update, fence.runner), messageIds };
  });
}

/** Hands the turn to the client, whose tools were called, until the deadline. */
export function enterRequiresAction(
  context: MachineContext,
  fence: Fence,
  { deadlineMs = context.actionDeadlineMs }: { readonly deadlineMs?: number } = {},
): Promise<Chat> {
  return updateChat(context, fence.chatId, 'enterRequiresAction', { fence }, async (update) => {
    const calls = await outstandingCalls(update);
    if (calls.length === 0 || calls.some(({ run_by }) => run_by === 'server')) {
      const message =
        'The chat has no calls for the client, or has server calls without results. Commit those results first.';
      throw refusal(update, 'invalid-state', message);
    }
    update.next.status = 'requires_action';
    update.next.runner = null;
    update.next.action_deadline = update.now + deadlineMs;
    return toChat(update.next);
  });
}

/**
 * Answers the calls whose results did not arrive in time. The turn then continues. A no-op before
 * the deadline.
 */
export function expireRequiresAction(context: MachineContext, chatId: string): Promise<Chat> {
  return changeChat(context, chatId, 'expireRequiresAction', {}, async (update) => {
    assertOverdue(update);
    await answerOutstanding(update, 'deadline');
    settle(update, 'running');
  });
}

/** Commits the messages of a compaction: its summary, and copies of unanswered messages. */
export function commitCompaction(
  context: MachineContext,
  fence: Fence,
  { messages }: { readonly messages: readonly StepMessage[] },
): Promise<Committed> {
  return updateChat(context, fence.chatId, 'commitCompaction', { fence }, async (update) => {
    const compressed = messages.map((message) => ({ ...message, isCompressed: true }));
    const messageIds = await appendMessages(update, compressed);
    await chargeSteps(update, compressed);
    update.next.compaction_requested = 0;
    return { fence: nextFence(update, fence.runner), messageIds };
  });
}

/**
 * Records that a model call will be retried, and releases the chat until then. The row contains the
 * time, so no process holds a slot or a timer.
 */
export function recordRetry(context: MachineContext, fence: Fence, retry: NewRetry): Promise<Chat> {
  return updateChat(context, fence.chatId, 'recordRetry', { fence }, async (update) => {
    await scheduleRetry(update, retry);
    return toChat(update.next);
  });
}

/** Releases the chat until the time of its next try. */
export async function scheduleRetry(update: ChatUpdate, { heldMs = 0, ...retry }: NewRetry): Promise<void> {
  const { next, now } = update;
  const retryAt = now + retry.delayMs;
  await releaseLease(update);
  next.attempt += 1;
  next.retry_at = retryAt + heldMs;
  next.retry = JSON.stringify({ ...retry, retryAt } satisfies RetryState);
}

/**
 * Ends the turn. The request can have failed. The chat then continues with the next message.
 *
 * @throws ChatStateError `receipt-missing` if the turn has a request and no ending was given
 */
export function finishTurn(context: MachineContext, fence: Fence, finish: TurnFinish = {}): Promise<Chat> {
  return updateChat(context, fence.chatId, 'finishTurn', { fence }, async (update) => {
    assertReceipt(update, finish);
    await appendStep(update, finish);
    await endTurn(update, { calls: openCalls(finish), ...(finish.ending && { request: finish.ending }) });
    return toChat(update.next);
  });
}

/**
 * Ends the turn with an error. The chat keeps the error until its user writes again, or until the
 * queue runs.
 */
export function failTurn(
  context: MachineContext,
  fence: Fence,
  { error, ...finish }: TurnFinish & { readonly error: ChatError },
): Promise<Chat> {
  return updateChat(context, fence.chatId, 'failTurn', { fence }, async (update) => {
    await appendStep(update, finish);
    const request = finish.ending ?? 'generation_failed';
    await endTurnInError(update, { calls: openCalls(finish), request }, JSON.stringify(error));
    return toChat(update.next);
  });
}

/**
 * Ends an interrupted turn and keeps the streamed text. `ending` completes the request's receipt.
 */
export function finishInterruption(
  context: MachineContext,
  fence: Fence,
  { ending, results = [], ...kept }: InterruptionFinish = {},
): Promise<Chat> {
  return changeChat(context, fence.chatId, 'finishInterruption', { fence }, async (update) => {
    await settleCalls(update, results);
    await chargeTools(update, results);
    await appendStep(update, kept);
    // An answer that arrives at the last moment is ignored, because the server has already reported
    // the interruption to its client.
    const request = ending?.status === 'canceled' ? ending : 'interrupted';
    await endTurn(update, { calls: 'interrupted', request });
  });
}

async function appendStep(
  update: ChatUpdate,
  { messages = [], calls = [] }: Partial<StepCommit>,
): Promise<number[]> {
  const messageIds = await appendMessages(update, withRunIds(update, messages, calls));
  await chargeSteps(update, messages);
  const [firstId] = messageIds;
  if (firstId !== undefined) await reserveCalls(update, firstId, calls);
  return messageIds;
}

/** Names the runs of durable calls in their parts, so that clients find a run while its agent works. */
function withRunIds(
  { next }: ChatUpdate,
  messages: readonly StepMessage[],
  calls: readonly ToolCallReservation[],
): readonly StepMessage[] {
  const durable = new Set(
    calls.flatMap(({ isDurable, toolCallId }) => (isDurable === true ? toolCallId : [])),
  );
  const [step, ...others] = messages;
  if (step === undefined || durable.size === 0) return messages;
  const place = { chatId: next.id, messageId: next.next_message_id };
  const parts = step.parts.map((part) =>
    part.type === 'tool_call' && durable.has(part.tool_call_id)
      ? { ...part, run_id: idOfCall({ ...place, toolCallId: part.tool_call_id }) }
      : part,
  );
  return [{ ...step, parts }, ...others];
}

function openCalls({ hasNoCalls }: TurnFinish): 'canceled' | undefined {
  return hasNoCalls === true ? undefined : 'canceled';
}

function assertReceipt(update: ChatUpdate, { ending }: TurnFinish): void {
  const hasRequest = update.next.request_id !== null;
  if (hasRequest && ending === undefined) {
    const message = 'The turn has a request, which must end with it. Pass its ending.';
    throw refusal(update, 'receipt-missing', message);
  }
  if (hasRequest || ending === undefined) return;
  throw refusal(update, 'request-ended', 'The turn has no open request. Pass no ending.');
}
