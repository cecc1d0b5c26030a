/** Owner's operations on a chat other than messages: queue, interruption, tool results, mode. */
import { z } from 'zod';
import type { ChatLabels } from '../contract/chat-labels.ts';
import type { DynamicTool } from '../contract/rows.ts';
import { toTime } from '../contract/to-time.ts';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { toChat, type Chat } from './rows/chat-records.ts';
import { resultBudgetBytes, truncateResult } from '../turn/truncate-result.ts';
import { stopChildren } from './children.ts';
import { labelsText } from './rows/chat-labels.ts';
import { refusal, updateChat, type ChatUpdate } from './rows/chat-update.ts';
import { assertOverdue, changeChat, interruptTurn, releaseHold, settle } from './end-turn.ts';
import type { Idempotency } from './rows/idempotency.ts';
import type { MachineContext } from './rows/machine-context.ts';
import { moveToHead, promoteHead, removeQueued } from './rows/message-queue.ts';
import { endQueued } from './rows/request-rows.ts';
import { outstandingCalls, settleCalls, type OutstandingCall } from './rows/tool-ledger.ts';

export interface OwnedChat {
  readonly owner: string;
  readonly chatId: string;
}

/** A queued message of an owner's chat. */
export interface OwnedQueued extends OwnedChat {
  readonly queuedId: number;
}

/** Results of all calls that a chat waits for. */
export interface ToolResultSubmission extends OwnedChat {
  readonly results: readonly SubmittedResult[];
  readonly idempotency?: Idempotency<Chat>;
}

/** The result of the client's tool. */
export interface SubmittedResult {
  readonly toolCallId: string;
  /** Any JSON. */
  readonly output: unknown;
  /** @default false */
  readonly isError?: boolean;
}

/** Chat settings that the owner can change at any time. */
export interface ChatPatch extends OwnedChat {
  readonly title?: string;
  readonly model?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Replaces all labels. */
  readonly labels?: ChatLabels;
  /** An empty prompt removes it. */
  readonly systemPrompt?: string;
  readonly dynamicTools?: readonly DynamicTool[];
  readonly planMode?: boolean;
}

/** Removes a message from the queue. Its request ends as `queue_deleted`. */
export function deleteQueued(
  context: MachineContext,
  { owner, chatId, queuedId }: OwnedQueued,
): Promise<Chat> {
  return updateChat(context, chatId, 'deleteQueued', { owner }, async (update) => {
    const requestId = await removeQueued(update, queuedId);
    if (requestId !== undefined) await endQueued(update, 'queue_deleted', requestId);
    releaseHold(update);
    return toChat(update.next);
  });
}

/** Makes a queued message the next one, and interrupts a running turn. */
export function promoteQueued(
  context: MachineContext,
  { owner, chatId, queuedId }: OwnedQueued,
): Promise<Chat> {
  return updateChat(context, chatId, 'promoteQueued', { owner }, async (update) => {
    await moveToHead(update, queuedId);
    const { next } = update;
    if (next.status === 'running' || next.status === 'requires_action') {
      await interruptTurn(update);
      await stopChildren(update);
    }
    if (next.status === 'error') await runHead(update);
    return toChat(next);
  });
}

/**
 * Runs the first message of a queue that an error has blocked beyond its deadline. Limits the
 * client's wait.
 *
 * @throws ChatStateError `not-allowed` before the deadline
 */
export function resumeQueue(context: MachineContext, chatId: string): Promise<Chat> {
  return changeChat(context, chatId, 'resumeQueue', {}, async (update) => {
    assertOverdue(update);
    await runHead(update);
  });
}

/**
 * Ends the running turn and those of its children: at once if idle, otherwise after its worker has
 * saved the streamed text.
 */
export function interrupt(context: MachineContext, { owner, chatId }: OwnedChat): Promise<Chat> {
  return changeChat(context, chatId, 'interrupt', { owner }, async (update) => {
    await interruptTurn(update);
    await stopChildren(update);
  });
}

/**
 * Accepts the results of all calls that the chat waits for, in one submission.
 *
 * @throws ChatStateError `no-tool-results`, `duplicate-tool-result`, `missing-tool-result`,
 *   `unexpected-tool-result`, `invalid-tool-result`
 */
export function submitToolResults(context: MachineContext, options: ToolResultSubmission): Promise<Chat> {
  const { owner, chatId, results, idempotency } = options;
  return updateChat(context, chatId, 'submitToolResults', { owner, idempotency }, async (update) => {
    const calls = await outstandingCalls(update);
    const outputs = matchResults(update, calls, results);
    await settleCalls(update, outputs);
    settle(update, 'running');
    return toChat(update.next);
  });
}

/** Requests a compaction. @throws ChatStateError `nothing-to-compact` */
export function requestCompaction(context: MachineContext, { owner, chatId }: OwnedChat): Promise<Chat> {
  return updateChat(context, chatId, 'requestCompaction', { owner }, async (update) => {
    await assertCompactable(update);
    settle(update, 'running');
    update.next.compaction_requested = 1;
    return toChat(update.next);
  });
}

/**
 * Changes the given settings atomically. A running turn keeps its initial settings. If it waits to
 * repeat a model call, another model is called at once.
 *
 * @throws ChatStateError `request-open` if plan mode is enabled while a request is open
 */
export function patchChat(context: MachineContext, { owner, chatId, ...patch }: ChatPatch): Promise<Chat> {
  return updateChat(context, chatId, 'patchChat', { owner }, async (update) => {
    const { next } = update;
    const { title = next.title, model = next.model, planMode = next.plan_mode === 1 } = patch;
    const { settings, labels, systemPrompt, dynamicTools } = patch;
    if (planMode && next.plan_mode === 0) await assertNoRequest(update);
    Object.assign(next, { title, model, plan_mode: planMode ? 1 : 0 });
    if (settings !== undefined) next.settings = JSON.stringify(settings);
    if (labels !== undefined) next.labels = labelsText(labels);
    if (systemPrompt !== undefined) next.system_prompt = systemPrompt === '' ? null : systemPrompt;
    if (dynamicTools !== undefined) next.tools = JSON.stringify(dynamicTools);
    // The planned retry belongs to the previous model's service.
    if (model !== update.chat.model) Object.assign(next, { retry: null, retry_at: null });
    return toChat(next);
  });
}

async function runHead(update: ChatUpdate): Promise<void> {
  settle(update, 'running');
  await promoteHead(update);
}

/** Pairs each outstanding call with its result, in the order of the calls. */
function matchResults(
  update: ChatUpdate,
  calls: readonly OutstandingCall[],
  results: readonly SubmittedResult[],
): Parameters<typeof settleCalls>[1] {
  if (results.length === 0) throw refusal(update, 'no-tool-results', 'At least one tool result is required.');
  const byId = new Map<string, SubmittedResult>();
  for (const result of results) {
    if (byId.has(result.toolCallId)) {
      throw refusal(update, 'duplicate-tool-result', 'Two results are for the same call. Send one.', {
        subject: result.toolCallId,
      });
    }
    byId.set(result.toolCallId, result);
  }
  const settled = calls.map((call) => {
    const result = byId.get(call.tool_call_id);
    byId.delete(call.tool_call_id);
    if (result !== undefined) return toSettled(update, call, result);
    throw refusal(
      update,
      'missing-tool-result',
      'A call has no result. Send the results of all calls at once.',
      { subject: call.tool_call_id },
    );
  });
  const [extra] = byId.keys();
  if (extra === undefined) return settled;
  throw refusal(
    update,
    'unexpected-tool-result',
    'A result is for a call that the chat does not wait for. Leave it out.',
    { subject: extra },
  );
}

const json: z.ZodType<JsonValue> = z.json();

function toSettled(
  update: ChatUpdate,
  call: OutstandingCall,
  { output, isError = false }: SubmittedResult,
): Parameters<typeof settleCalls>[1][number] {
  const parsed = json.safeParse(output);
  if (!parsed.success) {
    throw refusal(update, 'invalid-tool-result', 'A result is not JSON. Send any JSON value.', {
      subject: call.tool_call_id,
    });
  }
  return {
    messageId: call.message_id,
    toolCallId: call.tool_call_id,
    part: truncateResult(
      {
        type: 'tool_result',
        tool_call_id: call.tool_call_id,
        tool_name: call.tool_name,
        result: parsed.data,
        is_error: isError,
        ended_at: toTime(update.now),
      },
      // The model of the next step is unknown here.
      resultBudgetBytes(undefined),
    ),
  };
}

async function assertCompactable(update: ChatUpdate): Promise<void> {
  const row = await update.db
    .selectFrom('chat_messages')
    .select(({ fn }) => fn.max('id').as('last'))
    .select(({ fn }) => fn.max('id').filterWhere('compressed', '=', 1).as('compressed'))
    .where('chat_id', '=', update.chat.id)
    .where('deleted', '=', 0)
    .where((where) => where.or([where('role', '=', 'assistant'), where('compressed', '=', 1)]))
    .where('visibility', '<>', 'user')
    .executeTakeFirstOrThrow();
  if ((row.last ?? 0) > (row.compressed ?? 0)) return;
  throw refusal(
    update,
    'nothing-to-compact',
    'No message was added since the last compaction. Send a message first.',
  );
}

async function assertNoRequest(update: ChatUpdate): Promise<void> {
  const open = await update.db
    .selectFrom('chat_requests')
    .select('id')
    .where('chat_id', '=', update.chat.id)
    .where('status', 'in', ['queued', 'running'])
    .limit(1)
    .executeTakeFirst();
  if (open === undefined) return;
  throw refusal(
    update,
    'request-open',
    'Plan mode cannot start while a request for a validated answer is open. Wait for its receipt, or interrupt it.',
    { subject: open.id },
  );
}
