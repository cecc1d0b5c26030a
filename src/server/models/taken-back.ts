/** Owns which parts of a provider's own tools a prompt holds: those that the service it goes to made itself, and that are whole. Pure. */
import type { AssistantContent, ModelMessage } from 'ai';
import type { ProviderPart, ProviderTools } from './provider-tools.ts';

type ContentPart = Exclude<AssistantContent, string>[number];

/**
 * Leaves out what the service would refuse: calls and results of another provider's tools, or of tools that are not offered now, and calls that were
 * stopped before they had a result. Such a call stays where the model has the word again, since its provider goes on with it there.
 */
export function takenBack(
  messages: readonly ModelMessage[],
  providerTools: ProviderTools = {},
): ModelMessage[] {
  const tools = Object.values(providerTools);
  const isOwn = (part: ProviderPart): boolean => tools.some((tool) => tool.isOwn(part));
  const parts = messages.flatMap(providerParts).filter(isOwn);
  const called = idsOf(parts, 'tool-call');
  const answered = idsOf(parts, 'tool-result');
  const last = messages.findLast(({ role }) => role !== 'tool');
  return messages.flatMap((message) => {
    if (providerParts(message).length === 0) return [message];
    const content = contentOf(message).filter((part) => {
      if (!isProviderPart(part)) return true;
      if (!isOwn(part)) return false;
      const id = part.toolCallId;
      return part.type === 'tool-result' ? called.has(id) : answered.has(id) || message === last;
    });
    return content.every(({ type }) => type === 'reasoning') ? [] : [{ role: 'assistant', content }];
  });
}

function idsOf(parts: readonly ProviderPart[], type: ProviderPart['type']): ReadonlySet<string> {
  return new Set(parts.filter((part) => part.type === type).map(({ toolCallId }) => toolCallId));
}

function providerParts(message: ModelMessage): readonly ProviderPart[] {
  return contentOf(message).filter(isProviderPart);
}

function contentOf(message: ModelMessage): readonly ContentPart[] {
  return message.role === 'assistant' && typeof message.content !== 'string' ? message.content : [];
}

/** Among an assistant's parts a result is always the provider's: of ours stand in messages of their own. */
function isProviderPart(part: ContentPart): part is ProviderPart {
  return part.type === 'tool-result' || (part.type === 'tool-call' && part.providerExecuted === true);
}
