/** Refusals of the OpenAI Responses service for well-formed requests. Pure. */
import type { WireError } from '../turn/model-wire.ts';
import {
  CALL_OF_OUTPUT,
  type ResponsesFormat,
  type ScriptedResponsesItem,
  type ResponsesRequest,
  type ResponsesTool,
} from './responses-request.ts';
import { invalidRequest, missingParameter, refusedName, refusedParameters } from '../turn/openai-errors.ts';
import { plainText } from './responses-turn.ts';
import { strictSchemaRefusal } from '../turn/strict-json-schema.ts';

/** Returns the service's error, or undefined. */
export function responsesRefusal(
  request: ResponsesRequest,
  items: readonly ScriptedResponsesItem[],
): WireError | undefined {
  return (
    refusedTools(request.tools ?? []) ??
    refusedFormat(request.text?.format ?? undefined, items) ??
    refusedCalls(items)
  );
}

function refusedTools(tools: readonly ResponsesTool[]): WireError | undefined {
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'function' && tool.type !== 'custom') continue;
    const param = `tools[${index}]`;
    const refusal =
      refusedName(tool.name, `${param}.name`) ??
      (tool.type === 'function' ? refusedParameters(tool, `${param}.parameters`) : undefined);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refusedFormat(
  format: ResponsesFormat | undefined,
  items: readonly ScriptedResponsesItem[],
): WireError | undefined {
  if (format?.type === 'json_object') return refusedJsonMode(items);
  if (format?.type !== 'json_schema') return undefined;
  const refusedTitle = refusedName(format.name, 'text.format.name');
  if (refusedTitle !== undefined) return refusedTitle;
  if (format.schema === undefined) return missingParameter('text.format.schema');
  const refusal = format.strict === true ? strictSchemaRefusal(format.schema) : undefined;
  return refusal === undefined
    ? undefined
    : invalidRequest(
        `Invalid schema for response_format '${format.name}': ${refusal}`,
        'text.format.schema',
        'invalid_json_schema',
      );
}

function refusedJsonMode(items: readonly ScriptedResponsesItem[]): WireError | undefined {
  const mentionsJson = items.some(
    (item) => item.type === 'message' && /json/iu.test(plainText(item.content)),
  );
  return mentionsJson
    ? undefined
    : invalidRequest(
        `Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.`,
        'input',
      );
}

/** Every output answers an earlier call of its kind, and every call is answered. */
function refusedCalls(items: readonly ScriptedResponsesItem[]): WireError | undefined {
  const open = new Map<string, string>();
  for (const item of items) {
    switch (item.type) {
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call':
        open.set(item.call_id, item.type);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'local_shell_call_output': {
        if (open.get(item.call_id) !== CALL_OF_OUTPUT[item.type]) {
          const kind = CALL_OF_OUTPUT[item.type].replaceAll('_', ' ');
          return invalidRequest(
            `No tool call found for ${kind} output with call_id ${item.call_id}.`,
            'input',
          );
        }
        open.delete(item.call_id);
        break;
      }
      case 'message':
      case 'reasoning':
      case 'item_reference':
      case 'other':
        break;
    }
  }
  const [unanswered] = open;
  return unanswered === undefined
    ? undefined
    : invalidRequest(
        `No tool output found for ${unanswered[1].replaceAll('_', ' ')} ${unanswered[0]}.`,
        'input',
      );
}
