/** Structured output reader: finds the validated value of a chat's last turn in its messages. Pure. */
import { readOrRefuse } from '@truecast/core/internal/errors/usage-error';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { MessagePart } from './wire/message-parts.ts';
import type { MessageView } from './wire/message.ts';

/** The message fields that the reader needs. */
export type AnsweredMessage = Pick<MessageView, 'role' | 'content' | 'is_compressed'>;

/**
 * Returns the validated value of the request that the last user message began. Returns undefined without one.
 *
 * Values of earlier turns are never returned, and neither is the result of another tool that has the finalizer's name.
 * Pass the messages in order, from the user's message on. Numbers beyond 2^53 are rounded; `value_text` of the receipt
 * keeps all their digits.
 *
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const { messages } = await client.chat({ id: 'd6c3b975-6629-4881-ac66-6252f6613c83' }).messages();
 * console.log(extractStructuredOutputValue(messages));
 * ```
 * @public
 */
export function extractStructuredOutputValue(messages: readonly AnsweredMessage[]): unknown {
  const what = ['messages', 'the messages of a chat'] as const;
  return readOrRefuse(messages, what, () => findValue(messages));
}

function findValue(messages: readonly AnsweredMessage[]): unknown {
  const start = messages.findLastIndex(({ role, is_compressed }) => role === 'user' && !is_compressed);
  const [first, ...rest] = start === -1 ? [] : messages.slice(start);
  const request = first?.content.find((part) => part.type === 'response_format');
  if (request === undefined) return undefined;
  const parts = rest.flatMap(({ role, content }) => (role === 'user' ? [] : content));
  const outcome = parts.findLast((part) => part.type === 'outcome' && part.request_id === request.request_id);
  if (outcome?.type === 'outcome' && outcome.status !== 'succeeded') return undefined;
  const accepted = parts.findLast(isAccepted);
  return accepted?.type === 'tool_result' ? accepted.result : undefined;
}

/** Only the server writes `result_text`, and only on an answer that it validated. */
function isAccepted(part: MessagePart): boolean {
  return (
    part.type === 'tool_result' &&
    part.tool_name === FINALIZER_NAME &&
    !part.is_error &&
    part.result_text !== undefined &&
    part.provider_executed !== true
  );
}
