/** Spoken text: an invalid reply as messages of the next request. Pure. */
import type { ModelMessage } from 'ai';
import type { ModelReply } from '../call/model-reply.ts';

/** Maximum length of an invalid reply in the next request: far above an answer that nearly fits. */
const MAX_RETURNED_CHARS = 20_000;

/** Returns true if the next request can contain the reply unchanged. */
export function isReturnable(reply: ModelReply): boolean {
  return contentOf(reply).length <= MAX_RETURNED_CHARS;
}

/**
 * Returns the reply as messages without tool calls. A call of a tool that was not offered has no
 * result, and services reject a conversation with an open call. A huge reply is shortened, because
 * the model would be charged for it again.
 */
export function messagesWithoutCalls(reply: ModelReply): readonly ModelMessage[] {
  if (reply.toolCalls.length === 0 && isReturnable(reply)) return reply.messages;
  const content = contentOf(reply);
  if (content === '') return [];
  const isShort = content.length <= MAX_RETURNED_CHARS;
  const said = isShort ? content : `${content.slice(0, MAX_RETURNED_CHARS)}… (${content.length} characters)`;
  return [{ role: 'assistant', content: said }];
}

function contentOf({ text, toolCalls }: ModelReply): string {
  const said = [
    text,
    ...toolCalls.map(({ input }) => (typeof input === 'string' ? input : JSON.stringify(input))),
  ];
  return said.filter((each) => each !== '').join('\n');
}
