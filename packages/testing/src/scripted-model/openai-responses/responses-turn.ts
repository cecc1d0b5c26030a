/** Converts an OpenAI Responses request to a neutral turn. Pure. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import type {
  ScriptedResponsesItem,
  ResponsesRequest,
  ResponsesText,
  ResponsesTool,
} from './responses-request.ts';
import type { OfferedTool, PostedTurn, TurnMessage } from '../turn/scripted-turn.ts';

/** Converts a request to a neutral turn. `items` is its whole input with resolved references. */
export function responsesTurn(
  request: ResponsesRequest,
  items: readonly ScriptedResponsesItem[],
): PostedTurn {
  const names = new Map<string, string>();
  const system: readonly TurnMessage[] =
    typeof request.instructions === 'string'
      ? [{ role: 'system', parts: [{ type: 'text', text: request.instructions }] }]
      : [];
  return {
    model: request.model,
    messages: [...system, ...items.map((item) => messageOf(item, names))],
    tools: (request.tools ?? []).flatMap((tool) => neutralTools(tool)),
    jsonSchema: request.text?.format?.schema,
    isStreaming: request.stream ?? false,
  };
}

/** The text of a content or an output. */
export function plainText(text: ResponsesText): string {
  return typeof text === 'string' ? text : text.map((piece) => piece.text ?? '').join('');
}

function neutralTools(tool: ResponsesTool, namespace?: string): OfferedTool[] {
  if (tool.type === 'namespace') {
    return (tool.tools ?? []).flatMap((member) => neutralTools(member, tool.name));
  }
  const kind = tool.type === 'function' ? 'function' : tool.type === 'custom' ? 'text' : 'built-in';
  const offered: OfferedTool = {
    name: tool.name ?? tool.type,
    kind,
    description: tool.description ?? '',
    ...(kind === 'function' && { inputSchema: tool.parameters }),
    ...(namespace !== undefined && { namespace }),
  };
  return [offered];
}

function messageOf(item: ScriptedResponsesItem, names: Map<string, string>): TurnMessage {
  switch (item.type) {
    case 'message':
      return {
        role: item.role === 'developer' ? 'system' : item.role,
        parts: [{ type: 'text', text: plainText(item.content) }],
      };
    case 'function_call':
      return call(item.call_id, item.name, jsonValueOf(item.arguments) ?? item.arguments, names);
    case 'custom_tool_call':
      return call(item.call_id, item.name, item.input, names);
    case 'local_shell_call':
      return call(item.call_id, 'local_shell', item.action, names);
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return result(item.call_id, plainText(item.output), names);
    case 'reasoning': {
      const text = (item.summary ?? []).map((piece) => piece.text ?? '').join('');
      return { role: 'assistant', parts: [{ type: 'thinking', text }] };
    }
    case 'item_reference':
      return { role: 'assistant', parts: [{ type: 'other', raw: item }] };
    case 'other':
    default:
      return { role: 'assistant', parts: [item] };
  }
}

function call(id: string, name: string, input: unknown, names: Map<string, string>): TurnMessage {
  names.set(id, name);
  return { role: 'assistant', parts: [{ type: 'tool-call', id, name, input }] };
}

function result(id: string, text: string, names: ReadonlyMap<string, string>): TurnMessage {
  const name = names.get(id) ?? '';
  // The wire has no flag for a failed call: the client says it in the text.
  return { role: 'user', parts: [{ type: 'tool-result', id, name, text, isError: false }] };
}
