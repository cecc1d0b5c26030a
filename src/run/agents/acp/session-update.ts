/** Owns which of an agent's updates are told, and how. Pure. */
import type {
  ContentBlock,
  SessionUpdate,
  ToolCall,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import type { BridgeLine } from './bridge-request.ts';

/** Returns the lines of one update; plans, modes and commands are nobody's concern here. */
export function toLines(update: SessionUpdate): readonly BridgeLine[] {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return textOf(update.content, 'text');
    case 'agent_thought_chunk':
      return textOf(update.content, 'thinking');
    case 'tool_call':
      return [callOf(update), ...resultOf(update)];
    case 'tool_call_update':
      return resultOf(update);
    case 'usage_update':
      return update.cost?.currency === 'USD' ? [{ type: 'cost', amountUsd: update.cost.amount }] : [];
    default:
      return [];
  }
}

function textOf(content: ContentBlock, type: 'text' | 'thinking'): readonly BridgeLine[] {
  return content.type === 'text' && content.text !== '' ? [{ type, text: content.text }] : [];
}

function callOf({ toolCallId, name, title, rawInput, locations }: ToolCall): BridgeLine {
  const input = rawInput ?? {
    title,
    ...(locations !== undefined && { paths: locations.map(({ path }) => path) }),
  };
  return { type: 'tool-call', id: toolCallId, name: name ?? title, input };
}

function resultOf({
  toolCallId,
  status,
  content,
  rawOutput,
}: ToolCall | ToolCallUpdate): readonly BridgeLine[] {
  if (status !== 'completed' && status !== 'failed') return [];
  const blocks = (content ?? []).map((item) =>
    item.type === 'content'
      ? item.content
      : item.type === 'diff'
        ? { type: 'text', text: `Changed ${item.path}` }
        : item,
  );
  const output = blocks.length > 0 ? blocks : (rawOutput ?? '');
  return [{ type: 'tool-result', id: toolCallId, output, isError: status === 'failed' }];
}
