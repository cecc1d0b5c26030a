/** Owns reading the validated answer out of a transcript. Pure. */
import { FINALIZER_NAME } from '../output/finalizer/finalizer-tool.ts';
import type { MessageView } from '../server/contract/wire/message-wire.ts';

/**
 * Returns the value of the last answer that was accepted in `messages`; undefined where none was.
 *
 * It is the result of the finalizer's call that is no error. Numbers beyond 2^53 are rounded here; `value_text` of the receipt has them whole.
 *
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const { messages } = await client.chat({ id: 'd6c3b975-6629-4881-ac66-6252f6613c83' }).messages();
 * console.log(extractStructuredOutputValue(messages));
 * ```
 */
export function extractStructuredOutputValue(messages: readonly Pick<MessageView, 'content'>[]): unknown {
  const results = messages
    .flatMap(({ content }) => content)
    .filter((part) => part.type === 'tool-result')
    .filter(({ tool_name, is_error }) => tool_name === FINALIZER_NAME && !is_error);
  return results.at(-1)?.result;
}
