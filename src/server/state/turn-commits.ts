/** Owns what the worker of a turn commits: its steps, the results of its tools, its waits, and its ending. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import { appendMessages, type StepMessage } from './append-messages.ts';
import { toChat, type Chat, type ChatError, type RetryState } from './chat-records.ts';
import { nextFence, updateChat, type ChatUpdate, type Fence } from './chat-update.ts';
import { assertOverdue, endTurn, endTurnInError, settle } from './end-turn.ts';
import type { MachineContext } from './machine-context.ts';
import type { RequestEnding } from './ending-of-turn.ts';
import {
  answerOutstanding,
  outstandingCalls,
  reserveCalls,
  settleCalls,
  type ToolCallReservation,
  type ToolCallResult,
} from './tool-ledger.ts';

/** What one call of the model gave: its messages, the first of which holds the calls of tools. */
export interface StepCommit {
  readonly messages: readonly StepMessage[];
  /** @default [] */
  readonly calls?: readonly ToolCallReservation[];
}

/** The results of a batch of tools, in the order of their calls. */
export interface ToolResultsCommit {
  readonly results: readonly ToolCallResult[];
  /** What stands after them. @default [] */
  readonly messages?: readonly StepMessage[];
}

/** How a turn ends, with the messages that are committed with its ending. */
export interface TurnFinish extends Partial<StepCommit> {
  /** Needed exactly where the turn has a request. */
  readonly ending?: RequestEnding;
}

/** How an interrupted turn ends. */
export interface InterruptionFinish extends TurnFinish {
  /** Results of calls that told how far they came; the others are answered here. @default [] */
  readonly results?: readonly ToolCallResult[];
}

/** What a worker holds after a commit. */
export interface Committed {
  readonly fence: Fence;
  readonly messageIds: readonly number[];
}

/** Commits a step and reserves its calls, before any of them runs. */
export function commitStep(context: MachineContext, fence: Fence, step: StepCommit): Promise<Committed> {
  return updateChat(context, fence.chatId, 'commitStep', { fence }, async (update) => {
    const messageIds = await appendStep(update, step);
    return { fence: nextFence(update, fence.runner), messageIds };
  });
}

/** Commits the results of a batch. @throws ChatStateError `unexpected-tool-result` for a call that has one */
export function commitToolResults(
  context: MachineContext,
  fence: Fence,
  { results, messages = [] }: ToolResultsCommit,
): Promise<Committed> {
  return updateChat(context, fence.chatId, 'commitToolResults', { fence }, async (update) => {
    const resultIds = await settleCalls(update, results);
    const messageIds = [...resultIds, ...(await appendMessages(update, messages))];
    return { fence: nextFence(update, fence.runner), messageIds };
  });
}

/** Leaves the turn to the client, whose tools were called, until the deadline. */
export function enterRequiresAction(
  context: MachineContext,
  fence: Fence,
  { deadlineMs = context.actionDeadlineMs }: { readonly deadlineMs?: number } = {},
): Promise<Chat> {
  return updateChat(context, fence.chatId, 'enterRequiresAction', { fence }, async (update) => {
    const calls = await outstandingCalls(update);
    if (calls.length === 0 || calls.some(({ run_by }) => run_by === 'server')) throw notForClient(update);
    update.next.status = 'requires_action';
    update.next.runner = null;
    update.next.action_deadline = update.now + deadlineMs;
    return toChat(update.next);
  });
}

/** Answers the calls for which no result came in time; the turn goes on. Does nothing before the deadline. */
export function expireRequiresAction(context: MachineContext, chatId: string): Promise<Chat> {
  return updateChat(context, chatId, 'expireRequiresAction', {}, async (update) => {
    assertOverdue(update);
    await answerOutstanding(update, 'deadline');
    settle(update, 'running');
    return toChat(update.next);
  });
}

/** Commits the messages of a compaction: its summary, and copies of what was not answered yet. */
export function commitCompaction(
  context: MachineContext,
  fence: Fence,
  { messages }: { readonly messages: readonly StepMessage[] },
): Promise<Committed> {
  return updateChat(context, fence.chatId, 'commitCompaction', { fence }, async (update) => {
    const compressed = messages.map((message) => ({ ...message, isCompressed: true }));
    const messageIds = await appendMessages(update, compressed);
    update.next.compaction_requested = 0;
    return { fence: nextFence(update, fence.runner), messageIds };
  });
}

/** Says that a call of the model failed and will be made again. */
export function recordRetry(context: MachineContext, fence: Fence, retry: RetryState): Promise<Fence> {
  return updateChat(context, fence.chatId, 'recordRetry', { fence }, async (update) => {
    update.next.attempt += 1;
    update.next.retry = JSON.stringify(retry);
    return nextFence(update, fence.runner);
  });
}

/**
 * Ends the turn. A request that failed is an ending too: the chat goes on to the next message.
 *
 * @throws ChatStateError `receipt-missing` when the turn has a request and no ending was given
 */
export function finishTurn(context: MachineContext, fence: Fence, finish: TurnFinish = {}): Promise<Chat> {
  return updateChat(context, fence.chatId, 'finishTurn', { fence }, async (update) => {
    assertReceipt(update, finish);
    await appendStep(update, finish);
    await endTurn(update, { calls: 'canceled', ...(finish.ending && { request: finish.ending }) });
    return toChat(update.next);
  });
}

/** Ends the turn in an error, which the chat keeps until its user writes again, or until what is queued runs. */
export function failTurn(
  context: MachineContext,
  fence: Fence,
  { error, ...finish }: TurnFinish & { readonly error: ChatError },
): Promise<Chat> {
  return updateChat(context, fence.chatId, 'failTurn', { fence }, async (update) => {
    await appendStep(update, finish);
    const request = finish.ending ?? 'generation_failed';
    await endTurnInError(update, { calls: 'canceled', request }, JSON.stringify(error));
    return toChat(update.next);
  });
}

/** Ends a turn that was interrupted, keeping what streamed; what is known of its request comes with `ending`. */
export function finishInterruption(
  context: MachineContext,
  fence: Fence,
  { ending, results = [], ...kept }: InterruptionFinish = {},
): Promise<Chat> {
  return updateChat(context, fence.chatId, 'finishInterruption', { fence }, async (update) => {
    await settleCalls(update, results);
    await appendStep(update, kept);
    // An answer that came at the last moment changes nothing: who interrupted was told that there is none.
    const request = ending?.status === 'canceled' ? ending : 'interrupted';
    await endTurn(update, { calls: 'interrupted', request });
    return toChat(update.next);
  });
}

async function appendStep(
  update: ChatUpdate,
  { messages = [], calls = [] }: Partial<StepCommit>,
): Promise<number[]> {
  const messageIds = await appendMessages(update, messages);
  const [firstId] = messageIds;
  if (firstId !== undefined) await reserveCalls(update, firstId, calls);
  return messageIds;
}

function assertReceipt({ next, chat, transition, from }: ChatUpdate, { ending }: TurnFinish): void {
  const isMissing = next.request_id !== null && ending === undefined;
  const isTooMuch = next.request_id === null && ending !== undefined;
  if (!isMissing && !isTooMuch) return;
  throw new ChatStateError(
    isMissing
      ? 'The turn has a request, which must end with it. Give its ending.'
      : 'The turn has no request, or it has ended. Give no ending.',
    { code: isMissing ? 'receipt-missing' : 'request-ended', chatId: chat.id, transition, from },
  );
}

function notForClient({ chat, transition, from }: ChatUpdate): ChatStateError {
  return new ChatStateError(
    'The chat has no calls for the client, or some of the server without results. Commit those first.',
    { code: 'invalid-state', chatId: chat.id, transition, from },
  );
}
