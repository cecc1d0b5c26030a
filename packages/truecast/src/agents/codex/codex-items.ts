/**
 * Parser for items of Codex's stream: text, thinking, tool calls and results, or warnings. Pure.
 */
import { z } from 'zod';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import { toolResultText } from '../stream/json-line-parser.ts';

type ToolCall = Extract<AgentEvent, { type: 'tool-call' }>;
type ToolResult = Extract<AgentEvent, { type: 'tool-result' }>;

/** A parsed item. A tool's `result` is valid only after the item is completed. */
export type CodexItem =
  | { readonly kind: 'event'; readonly event: Extract<AgentEvent, { type: 'text' | 'thinking' | 'warning' }> }
  | { readonly kind: 'tool'; readonly id: string; readonly call: ToolCall; readonly result: ToolResult };

const id = z.string().catch('');
const optionalText = z.string().nullish().catch(undefined);

const codexItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent_message'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({ type: z.literal('error'), message: z.string() }),
  z.object({
    type: z.literal('command_execution'),
    id,
    command: z.string(),
    aggregated_output: optionalText,
    exit_code: z.number().nullish().catch(undefined),
    status: optionalText,
  }),
  z.object({ type: z.literal('file_change'), id, changes: z.unknown().optional(), status: optionalText }),
  z.object({
    type: z.literal('mcp_tool_call'),
    id,
    server: optionalText,
    tool: z.string(),
    arguments: z.unknown().optional(),
    result: z.object({ content: z.unknown().optional() }).nullish().catch(undefined),
    error: z.object({ message: z.string() }).nullish().catch(undefined),
    status: optionalText,
  }),
  z.object({ type: z.literal('web_search'), id, query: optionalText }),
]);

/** Parses an item. Returns undefined if it is not relevant. */
export function readCodexItem(value: unknown): CodexItem | undefined {
  const item = codexItem.safeParse(value).data;
  if (item === undefined) return undefined;
  switch (item.type) {
    case 'agent_message':
      return { kind: 'event', event: { type: 'text', text: item.text } };
    case 'reasoning':
      return { kind: 'event', event: { type: 'thinking', text: item.text } };
    case 'error':
      return { kind: 'event', event: { type: 'warning', message: item.message } };
    case 'command_execution':
      return tool(
        item.id,
        'command_execution',
        { command: item.command },
        item.aggregated_output ?? '',
        hasFailed(item),
      );
    case 'file_change':
      return tool(item.id, 'file_change', { changes: item.changes }, item.status ?? '', hasFailed(item));
    case 'mcp_tool_call':
      return tool(
        item.id,
        item.server === undefined || item.server === null ? item.tool : `${item.server}.${item.tool}`,
        item.arguments,
        item.error?.message ?? toolResultText(item.result?.content),
        hasFailed(item) || (item.error !== undefined && item.error !== null),
      );
    case 'web_search':
      return tool(item.id, 'web_search', { query: item.query ?? '' }, '', false);
    default:
      return item satisfies never;
  }
}

function hasFailed(item: {
  readonly status?: string | null | undefined;
  readonly exit_code?: number | null | undefined;
}): boolean {
  return (
    item.status === 'failed' ||
    item.status === 'declined' ||
    (typeof item.exit_code === 'number' && item.exit_code !== 0)
  );
}

function tool(toolId: string, name: string, input: unknown, output: string, isError: boolean): CodexItem {
  return {
    kind: 'tool',
    id: toolId,
    call: { type: 'tool-call', id: toolId, name, input },
    result: { type: 'tool-result', id: toolId, output, isError },
  };
}
