/** Shared test fixtures of the state machine: messages, a clock, and chats in each state. */
import type { Store } from '@truecast/store/internal/database/store';
import { createChatMachine, type ChatMachine } from './chat-machine.ts';
import type { NewMessage } from './rows/append-messages.ts';
import type { Fence } from './rows/chat-update.ts';
import type { ReceiptEnding } from './rows/ending-of-turn.ts';
import type { ToolCallResult } from './rows/tool-ledger.ts';
import type { StepCommit } from './turn-commits.ts';
import type { ChatState } from './rows/transition-table.ts';

export const OWNER = 'owner-1';
/** Deadline of the requests of `userMessage`. */
export const DEADLINE_SECONDS = 80_000;

/** A state machine with a manual clock. */
export interface TestMachine extends ChatMachine {
  readonly clock: { nowMs: number };
  readonly runnable: string[];
}

export function testMachine(store: Store): TestMachine {
  const clock = { nowMs: 1_000_000 };
  const runnable: string[] = [];
  const machine = createChatMachine({
    store,
    now: () => clock.nowMs,
    onRunnable: (chatId) => runnable.push(chatId),
  });
  return { ...machine, clock, runnable };
}

/** A user message. With `requestId` it has a response format. */
export function userMessage(text: string, requestId?: string): NewMessage {
  const parts = [{ type: 'text', text }] as const;
  if (requestId === undefined) return { parts };
  const format = {
    type: 'response_format',
    request_id: requestId,
    name: 'answer',
    schema_text: '{"type":"object"}',
    limits: { text_only: 5, max_repairs: 5, deadline_seconds: DEADLINE_SECONDS },
  } as const;
  return { parts, request: { format, schemaHash: 'hash' } };
}

export const SUCCESS: ReceiptEnding = {
  status: 'succeeded',
  value_text: '{"a":1}',
  attempts: [{ code: 'ok' }],
};

export const NOT_PRODUCED: ReceiptEnding = {
  status: 'failed',
  error: { code: 'structured_output_not_produced', reason: 'text_only', message: 'Ask again.' },
  attempts: [],
};

/** Parts of a step with one tool call. */
export function toolStep(
  toolCallId: string,
  runBy: 'server' | 'client',
  idempotentHint = false,
): Required<StepCommit> {
  return {
    messages: [
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', tool_call_id: toolCallId, tool_name: 'look', args: '{}' }],
      },
    ],
    calls: [{ toolCallId, toolName: 'look', inputHash: 'input', idempotentHint, runBy }],
  };
}

export function toolResult(messageId: number, toolCallId: string): ToolCallResult {
  return {
    messageId,
    toolCallId,
    part: {
      type: 'tool_result',
      tool_call_id: toolCallId,
      tool_name: 'look',
      result: 'seen',
      is_error: false,
    },
  };
}

/** A chat in a given state, and its last worker's fence. */
export interface PreparedChat {
  readonly chatId: string;
  readonly fence: Fence;
  /** Row of the claimable call, if any. */
  readonly callId: number;
}

/**
 * Brings a new chat into `state`. Its queue has one message, id 1. `requestId` is the request of
 * its first message.
 */
export async function prepareChat(
  machine: ChatMachine,
  state: ChatState,
  requestId?: string,
): Promise<PreparedChat> {
  const [status, queue] = state.split('+');
  if (status === 'none') {
    const chatId = crypto.randomUUID();
    return {
      chatId,
      fence: { chatId, runner: 'nobody', historyVersion: 1, attempt: 0, version: 1 },
      callId: 2,
    };
  }
  const { chat } = await machine.createChat({
    owner: OWNER,
    model: 'scripted',
    message: userMessage('first', requestId),
  });
  const chatId = chat.id;
  const { fence: first } = await machine.acquire({ chatId, worker: 'worker-1' });
  const runBy = status === 'requires_action' ? 'client' : 'server';
  const { fence, messageIds } = await machine.commitStep(first, toolStep('call-1', runBy));
  if (queue !== undefined) {
    await machine.sendMessage({ owner: OWNER, chatId, message: userMessage('next'), busyBehavior: 'queue' });
  }
  if (status === 'interrupting') await machine.interrupt({ owner: OWNER, chatId });
  if (status === 'requires_action') await machine.enterRequiresAction(fence);
  if (status === 'waiting') {
    await machine.finishTurn(fence, requestId === undefined ? {} : { ending: NOT_PRODUCED });
  }
  if (status === 'error') {
    await machine.failTurn(fence, { error: { kind: 'timeout', message: 'Too slow.', isRetryable: true } });
  }
  return { chatId, fence, callId: messageIds[0] ?? 0 };
}
