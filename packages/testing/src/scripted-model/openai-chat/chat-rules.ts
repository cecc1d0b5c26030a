/** Refusals of the OpenAI Chat Completions service for well-formed requests. Pure. */
import type { ChatFormat, ScriptedChatMessage, ChatRequest, ChatTool } from './chat-request.ts';
import { chatText } from './chat-turn.ts';
import type { WireError } from '../turn/model-wire.ts';
import { invalidRequest, missingParameter, refusedName, refusedParameters } from '../turn/openai-errors.ts';
import { strictSchemaRefusal } from '../turn/strict-json-schema.ts';

/** Returns the service's error, or undefined. */
export function chatRefusal(request: ChatRequest): WireError | undefined {
  const { messages, tools, response_format: format, stream } = request;
  if (messages.length === 0) {
    return invalidRequest(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
      'empty_array',
    );
  }
  if (request.stream_options !== undefined && request.stream_options !== null && stream !== true) {
    return invalidRequest(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  }
  return (
    refusedTools(tools ?? undefined) ?? refusedFormat(format ?? undefined, messages) ?? refusedCalls(messages)
  );
}

function refusedTools(tools: readonly ChatTool[] | undefined): WireError | undefined {
  if (tools?.length === 0) {
    return invalidRequest(
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'tools',
      'empty_array',
    );
  }
  for (const [index, tool] of (tools ?? []).entries()) {
    const param = `tools[${index}].${tool.type}`;
    const refusal =
      tool.type === 'function'
        ? (refusedName(tool.function.name, `${param}.name`) ??
          refusedParameters(tool.function, `${param}.parameters`))
        : refusedName(tool.custom.name, `${param}.name`);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refusedFormat(
  format: ChatFormat | undefined,
  messages: readonly ScriptedChatMessage[],
): WireError | undefined {
  if (format?.type === 'json_object') return refusedJsonMode(messages);
  if (format?.type !== 'json_schema') return undefined;
  const asked = format.json_schema;
  if (asked === undefined) return missingParameter('response_format.json_schema');
  const refusal = refusedName(asked.name, 'response_format.json_schema.name');
  if (refusal !== undefined) return refusal;
  const complaint = asked.strict === true ? strictSchemaRefusal(asked.schema) : undefined;
  return complaint === undefined
    ? undefined
    : invalidRequest(
        `Invalid schema for response_format '${asked.name ?? ''}': ${complaint}`,
        'response_format',
      );
}

function refusedJsonMode(messages: readonly ScriptedChatMessage[]): WireError | undefined {
  return messages.some((message) => /json/iu.test(chatText(message.content)))
    ? undefined
    : invalidRequest(
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        'messages',
      );
}

/** Tool messages directly follow the message whose calls they answer, and answer all of them. */
function refusedCalls(messages: readonly ScriptedChatMessage[]): WireError | undefined {
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const param = `messages.[${index}].role`;
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) {
        return invalidRequest(
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
          param,
        );
      }
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return unanswered(open, param);
    open = message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [];
  }
  return open.length > 0 ? unanswered(open, `messages.[${messages.length}].role`) : undefined;
}

function unanswered(ids: readonly string[], param: string): WireError {
  return invalidRequest(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
    param,
  );
}
