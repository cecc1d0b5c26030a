/** Owns what the OpenAI Responses service refuses in a well-formed request. Pure. */
import type { WireError } from './model-wire.ts';
import {
  CALL_OF_OUTPUT,
  type ResponsesFormat,
  type ResponsesItem,
  type ResponsesRequest,
  type ResponsesTool,
} from './responses-request.ts';
import { plainText } from './responses-turn.ts';
import { strictSchemaRefusal } from './strict-json-schema.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/u;

/** Returns the service's complaint, or undefined. */
export function responsesRefusal(
  request: ResponsesRequest,
  items: readonly ResponsesItem[],
): WireError | undefined {
  return (
    refusedTools(request.tools ?? []) ??
    refusedFormat(request.text?.format ?? undefined, items) ??
    refusedCalls(items)
  );
}

/** A 400 of the service. */
export function invalidRequest(message: string, param: string, code?: string): WireError {
  return { statusCode: 400, message, param, ...(code !== undefined && { code }) };
}

function refusedTools(tools: readonly ResponsesTool[]): WireError | undefined {
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'function' && tool.type !== 'custom') continue;
    const param = `tools[${index}]`;
    if (tool.name === undefined) return missing(`${param}.name`);
    if (!NAME.test(tool.name)) return invalidName(`${param}.name`);
    const refusal = tool.type === 'function' ? refusedParameters(tool, tool.name) : undefined;
    if (refusal !== undefined) {
      return invalidRequest(refusal, `${param}.parameters`, 'invalid_function_parameters');
    }
  }
  return undefined;
}

function refusedParameters({ parameters, strict }: ResponsesTool, name: string): string | undefined {
  if (parameters === undefined || parameters === null) return undefined;
  const refusal = strict === true ? strictSchemaRefusal(parameters) : notAnObject(parameters);
  return refusal === undefined ? undefined : `Invalid schema for function '${name}': ${refusal}`;
}

function notAnObject(parameters: unknown): string | undefined {
  const type: unknown =
    typeof parameters === 'object' && parameters !== null && 'type' in parameters ? parameters.type : 'None';
  return type === 'object'
    ? undefined
    : `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(type)}"'.`;
}

function refusedFormat(
  format: ResponsesFormat | undefined,
  items: readonly ResponsesItem[],
): WireError | undefined {
  if (format?.type === 'json_object') return refusedJsonMode(items);
  if (format?.type !== 'json_schema') return undefined;
  if (format.name === undefined) return missing('text.format.name');
  if (!NAME.test(format.name)) return invalidName('text.format.name');
  if (format.schema === undefined) return missing('text.format.schema');
  const refusal = format.strict === true ? strictSchemaRefusal(format.schema) : undefined;
  return refusal === undefined
    ? undefined
    : invalidRequest(
        `Invalid schema for response_format '${format.name}': ${refusal}`,
        'text.format.schema',
        'invalid_json_schema',
      );
}

function refusedJsonMode(items: readonly ResponsesItem[]): WireError | undefined {
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

/** Every output answers a call of its kind that stands before it, and every call is answered. */
function refusedCalls(items: readonly ResponsesItem[]): WireError | undefined {
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

function missing(param: string): WireError {
  return invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

function invalidName(param: string): WireError {
  return invalidRequest(
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`,
    param,
    'invalid_value',
  );
}
