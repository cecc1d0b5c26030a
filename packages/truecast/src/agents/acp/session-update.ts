/** Conversion of an agent's session updates to bridge lines. Pure. */
import type {
  ContentBlock,
  SessionUpdate,
  ToolCall,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import type { BridgeLine } from './bridge-request.ts';

/** Converts one session's updates to lines. */
export interface UpdateReader {
  /** Returns the lines of one update. Plans, modes and commands are ignored. */
  read(update: SessionUpdate): readonly BridgeLine[];
  /**
   * Returns the line of a call in a permission request. Some agents announce calls only in that
   * way.
   */
  readCall(call: ToolCall | ToolCallUpdate): readonly BridgeLine[];
}

/** Creates the reader of one prompt's updates. Each call is reported once, before its result. */
export function createUpdateReader(): UpdateReader {
  const told = new Set<string>();
  const readCall = (call: ToolCall | ToolCallUpdate): readonly BridgeLine[] => {
    if (told.has(call.toolCallId)) return [];
    told.add(call.toolCallId);
    return [callOf(call)];
  };
  return { readCall, read: (update) => toLines(update, readCall) };
}

function toLines(update: SessionUpdate, readCall: UpdateReader['readCall']): readonly BridgeLine[] {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return textOf(update.content, 'text');
    case 'agent_thought_chunk':
      return textOf(update.content, 'thinking');
    case 'tool_call':
      return [...readCall(update), ...resultOf(update)];
    case 'tool_call_update': {
      const result = resultOf(update);
      return result.length === 0 ? [] : [...readCall(update), ...result];
    }
    case 'usage_update':
      return update.cost?.currency === 'USD' ? [{ type: 'cost', amountUsd: update.cost.amount }] : [];
    default:
      return [];
  }
}

function textOf(content: ContentBlock, type: 'text' | 'thinking'): readonly BridgeLine[] {
  return content.type === 'text' && content.text !== '' ? [{ type, text: content.text }] : [];
}

function callOf({ toolCallId, name, title, rawInput, locations }: ToolCall | ToolCallUpdate): BridgeLine {
  const paths = locations?.map(({ path }) => path);
  const input = rawInput ?? { ...(title !== undefined && { title }), ...(paths !== undefined && { paths }) };
  return { type: 'tool-call', id: toolCallId, name: name ?? title ?? 'tool', input };
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
