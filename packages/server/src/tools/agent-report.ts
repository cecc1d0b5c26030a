/** Reports on a child chat: whether it is idle, and its result. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Chat, Message } from '../state/rows/chat-records.ts';
import { toolFailure, toolSuccess, type ToolContext, type ToolOutcome } from './server-tool.ts';

/** Poll interval: a change hint can be lost with its connection. */
const LOOK_AGAIN_MS = 1_500;

/** Returns true if an agent is idle and has no pending work. */
export function isIdle({ status, queueLength }: Chat): boolean {
  // A queue held by an error runs by itself after the deadline.
  return queueLength === 0 && (status === 'error' || status === 'waiting');
}

/** Resolves when the agent is idle or deleted, at the timeout, or when the turn stops. */
export async function untilIdle(
  machine: ChatMachine,
  chatId: string,
  { ownerId, signal }: ToolContext,
  timeoutMs: number,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const stop = (): void => ended.resolve();
  const look = (): void => {
    void machine.readChat({ owner: ownerId, chatId }).then(
      (chat) => {
        if (isIdle(chat)) stop();
      },
      (error: unknown) => {
        // Other errors are retried, because the database can be unreachable.
        if (ChatStateError.isInstance(error)) stop();
      },
    );
  };
  const forget = machine.onChat(chatId, look);
  const again = setInterval(look, LOOK_AGAIN_MS);
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  look();
  await ended.promise;
  forget();
  clearInterval(again);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}

/** Reports an agent's result. An agent without an answer is a failure with its reason. */
export async function report(
  machine: ChatMachine,
  chatId: string,
  { ownerId }: ToolContext,
): Promise<ToolOutcome> {
  const chat = await machine.readChat({ owner: ownerId, chatId });
  if (!isIdle(chat)) return toolSuccess({ chat_id: chatId, status: chat.status, timed_out: true });
  const { messages } = await machine.loadTurn(chatId);
  const seen = messages.filter(({ visibility }) => visibility === 'all');
  const requestId = seen.findLast(({ role }) => role === 'user')?.requestId;
  if (requestId !== undefined) return valueOf(machine, { owner: ownerId, requestId }, chatId);
  if (chat.error !== undefined) return toolFailure(chat.error.message);
  const text = lastWords(seen);
  if (hasEnded(seen)) return toolSuccess({ chat_id: chatId, status: 'ended', report: text });
  return toolFailure(`The agent stopped before it finished.${text === '' ? '' : ` It said last: ${text}`}`);
}

async function valueOf(
  machine: ChatMachine,
  request: Parameters<ChatMachine['readRequest']>[0],
  chatId: string,
): Promise<ToolOutcome> {
  const { value, value_text: text, error, status } = (await machine.readRequest(request)).receipt;
  if (status !== 'succeeded' || value === undefined) {
    return toolFailure(`The agent returned no valid answer. ${error?.message ?? ''}`.trim());
  }
  // The verbatim text keeps digits that a parsed number would lose.
  const isExact = text === undefined || canonicalJson(value) === text;
  return toolSuccess({ chat_id: chatId, status: 'succeeded', value, ...(!isExact && { value_text: text }) });
}

function lastWords(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === 'assistant');
  return last?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
}

/** A turn that was interrupted or reached its step limit does not end with text. */
function hasEnded(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && last.step?.finishReason !== 'interrupted';
}
