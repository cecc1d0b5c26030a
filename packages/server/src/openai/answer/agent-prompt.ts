/** Renders a conversation as the prompt of a coding agent. Pure. */
import { refused, type WireFailure } from '../wire/wire-failure.ts';
import type { WireMessage, WireRequest } from '../wire/wire-request.ts';

/** Returns the prompt, or the reason why an agent cannot answer the request. */
export function conversationPrompt({ messages, tools }: WireRequest): string | WireFailure {
  if (tools.length > 0) {
    return refused('tools', '`tools`: An agent has its own tools, and cannot call yours. Leave them out.');
  }
  const odd = messages.find(
    ({ role, parts }) => role === 'tool' || parts.some(({ type }) => type !== 'text'),
  );
  if (odd !== undefined) return refused(odd.field, `\`${odd.field}\`: An agent accepts only text.`);
  const system = messages.filter(({ role }) => role === 'system').map(textOf);
  const talk = messages.filter(({ role }) => role !== 'system');
  const [only] = talk;
  const said = talk.length === 1 && only !== undefined ? textOf(only) : transcript(talk);
  return [...system, said].filter((text) => text !== '').join('\n\n');
}

function transcript(messages: readonly WireMessage[]): string {
  const lines = messages.map(
    (message) => `${message.role === 'user' ? 'User' : 'Assistant'}:\n${textOf(message)}`,
  );
  return ['This is the conversation so far. Do what its last message asks for.', ...lines].join('\n\n');
}

function textOf({ parts }: WireMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
