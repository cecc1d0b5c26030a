/**
 * Filters provider tool parts of a prompt: keeps only complete parts that the target service
 * created. Pure.
 */
import type { AssistantContent, ModelMessage } from 'ai';
import type { ProviderPart, ProviderTools } from './provider-tools.ts';

type ContentPart = Exclude<AssistantContent, string>[number];

/**
 * Removes parts that the service would reject: calls and results of another provider, or of tools
 * that are not enabled now, and interrupted calls without a result. An interrupted call is kept if
 * the model speaks next, because its provider continues it.
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

/**
 * A result among an assistant's parts is always the provider's. The server's results are in
 * separate messages.
 */
function isProviderPart(part: ContentPart): part is ProviderPart {
  return part.type === 'tool-result' || (part.type === 'tool-call' && part.providerExecuted === true);
}
