/** Converts an OpenAI Chat Completions request to a neutral turn. Pure. */
import type {
  ChatContent,
  ScriptedChatMessage,
  ChatRequest,
  ChatTool,
  ChatToolCall,
} from './chat-request.ts';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import type {
  OfferedTool,
  PostedTurn,
  TurnMessage,
  TurnPart,
  TurnToolCall,
  TurnToolChoice,
} from '../turn/scripted-turn.ts';
import { isRecord } from '@truecast/core/internal/kit/is-record';

/** Converts a request to a neutral turn. */
export function chatTurn(request: ChatRequest): PostedTurn {
  const names = new Map<string, string>();
  return {
    model: request.model,
    messages: request.messages.map((message) => messageOf(message, names)),
    tools: (request.tools ?? []).map(neutralTool),
    jsonSchema: request.response_format?.json_schema?.schema,
    toolChoice: postedChoice(request),
    isStreaming: request.stream ?? false,
  };
}

function postedChoice({ tools, tool_choice: choice }: ChatRequest): TurnToolChoice {
  if ((tools ?? []).length === 0 || choice === 'none') return 'none';
  const named = isRecord(choice) && isRecord(choice['function']) ? choice['function']['name'] : undefined;
  if (typeof named === 'string') return { name: named };
  return choice === 'required' ? 'required' : 'auto';
}

export function chatText(content: ChatContent): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((piece) => piece.text ?? '').join('');
}

function neutralTool(tool: ChatTool): OfferedTool {
  if (tool.type === 'custom') {
    const { name = '', description = '' } = tool.custom;
    return { name, kind: 'text', description };
  }
  const { name = '', description = '', parameters } = tool.function;
  return { name, kind: 'function', description, inputSchema: parameters };
}

function messageOf(message: ScriptedChatMessage, names: Map<string, string>): TurnMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: partsOf(message.content) };
    case 'user':
      return { role: 'user', parts: partsOf(message.content) };
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map((call) => neutralCall(call));
      for (const { id, name } of calls) names.set(id, name);
      return { role: 'assistant', parts: [...spokenParts(message), ...calls] };
    }
    case 'tool':
    default:
      return { role: 'user', parts: [resultOf(message, names)] };
  }
}

function spokenParts(message: ScriptedChatMessage & { readonly role: 'assistant' }): readonly TurnPart[] {
  const thought = message.reasoning_content ?? '';
  const said = message.content ?? message.refusal ?? '';
  return [
    ...(thought === '' ? [] : [{ type: 'thinking', text: thought } as const]),
    ...(said === '' ? [] : partsOf(said)),
  ];
}

function partsOf(content: ChatContent): readonly TurnPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []).map((piece) =>
    piece.type === 'text' ? { type: 'text', text: piece.text ?? '' } : { type: 'other', raw: piece },
  );
}

function neutralCall(call: ChatToolCall): TurnToolCall {
  if (call.type === 'custom') {
    return { type: 'tool-call', id: call.id, name: call.custom.name, input: call.custom.input };
  }
  const { name, arguments: json } = call.function;
  return { type: 'tool-call', id: call.id, name, input: jsonValueOf(json) ?? json };
}

function resultOf(
  { tool_call_id: id, content }: ScriptedChatMessage & { readonly role: 'tool' },
  names: ReadonlyMap<string, string>,
): TurnPart {
  // The wire has no flag for a failed call: the client says it in the text.
  return { type: 'tool-result', id, name: names.get(id) ?? '', text: chatText(content), isError: false };
}
