/** Converts a Gemini request to a neutral turn. Pure. */
import type { GeminiContent, GeminiPart, GeminiRequest, GeminiTool } from './gemini-request.ts';
import type {
  OfferedTool,
  PostedTurn,
  TurnMessage,
  TurnPart,
  TurnToolCall,
  TurnToolResult,
} from '../turn/scripted-turn.ts';

/** Parameters in the path. */
export interface GeminiTarget {
  readonly model: string;
  readonly isStreaming: boolean;
}

/** Converts a request to a neutral turn. */
export function geminiTurn(request: GeminiRequest, { model, isStreaming }: GeminiTarget): PostedTurn {
  const { systemInstruction, contents = [], tools = [], generationConfig } = request;
  const system = (systemInstruction?.parts ?? []).map(({ text = '' }) => ({ type: 'text', text }) as const);
  return {
    model,
    messages: [
      ...(system.length === 0 ? [] : [{ role: 'system', parts: system } as const]),
      ...messagesOf(contents),
    ],
    tools: tools.flatMap(offeredTools),
    jsonSchema: generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema,
    isStreaming,
  };
}

function offeredTools({ functionDeclarations, ...builtIn }: GeminiTool): readonly OfferedTool[] {
  return [
    ...(functionDeclarations ?? []).map(
      ({ name = '', description = '', parameters, parametersJsonSchema }) => ({
        name,
        kind: 'function' as const,
        description,
        inputSchema: parametersJsonSchema ?? parameters,
      }),
    ),
    ...Object.keys(builtIn).map((name) => ({ name, kind: 'built-in' as const, description: '' })),
  ];
}

function messagesOf(contents: readonly GeminiContent[]): readonly TurnMessage[] {
  let open: readonly TurnToolCall[] = [];
  return contents.map(({ role, parts = [] }, index) => {
    if (role === 'model') {
      const told = parts.map((part, position) => spokenPart(part, `call_${index}_${position}`));
      open = told.filter((part) => part.type === 'tool-call');
      return { role: 'assistant', parts: told };
    }
    const told = parts.map((part) => {
      const result = resultOf(part, open);
      if (result === undefined) return spokenPart(part, '');
      open = open.filter(({ id }) => id !== result.id);
      return result;
    });
    return { role: 'user', parts: told };
  });
}

/** Calls have no required id on this wire. `fallbackId` replaces it. */
function spokenPart(part: GeminiPart, fallbackId: string): TurnPart {
  const { text, thought, functionCall } = part;
  if (functionCall !== undefined) {
    const { id = fallbackId, name, args = {} } = functionCall;
    return { type: 'tool-call', id, name, input: args };
  }
  if (text === undefined) return { type: 'other', raw: part };
  return { type: thought === true ? 'thinking' : 'text', text };
}

/** Without an id, a response answers the first open call with its name. */
function resultOf(
  { functionResponse }: GeminiPart,
  open: readonly TurnToolCall[],
): TurnToolResult | undefined {
  if (functionResponse === undefined) return undefined;
  const { id, name, response } = functionResponse;
  const call = open.find((each) => (id === undefined ? each.name === name : each.id === id));
  const { output, error } = response;
  // By the service's convention these two keys contain the result. Without them, the whole object
  // is the result.
  const told = output ?? error ?? response;
  return {
    type: 'tool-result',
    id: id ?? call?.id ?? '',
    name,
    text: typeof told === 'string' ? told : JSON.stringify(told),
    isError: output === undefined && error !== undefined,
  };
}
