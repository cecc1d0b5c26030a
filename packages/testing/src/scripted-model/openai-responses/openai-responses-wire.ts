/** Wire format of OpenAI Responses: routing, refusals and errors. */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { bearerOf } from '../anthropic/anthropic-messages-wire.ts';
import type {
  ScriptedWire,
  ScriptedWireAnswer,
  WireError,
  WireReading,
  ScriptedWireRequest,
} from '../turn/model-wire.ts';
import { encodeOpenaiError, refusedShape } from '../turn/openai-errors.ts';
import { encodeResponse } from './responses-encoding.ts';
import { responsesRequestSchema } from './responses-request.ts';
import { responsesRefusal } from './responses-rules.ts';
import { responsesStore, type ResponsesStore } from './responses-store.ts';
import { responsesTurn } from './responses-turn.ts';

const RESPONSES_PATH = '/v1/responses';
/** Path of the list of models. A single model is below it. */
const MODELS_PATH = '/v1/models';

/**
 * Implements OpenAI Responses, and lists `models` for OpenAI's other wires too. Each instance
 * stores its own responses.
 */
export function openaiResponsesWire(models: readonly string[]): ScriptedWire {
  const store = responsesStore();
  return {
    name: 'openai-responses',
    owns: ({ pathname }) => pathname.startsWith(RESPONSES_PATH) || pathname.startsWith(MODELS_PATH),
    keyOf: bearerOf,
    answerAside: (request) => answerAside(request, models),
    read: (request) => readTurn(request, store),
    encode: (message, request) => {
      const encoded = encodeResponse(message);
      const parsed = responsesRequestSchema.safeParse(request.body);
      const input = parsed.success ? store.expand(parsed.data) : undefined;
      if (input?.type === 'items') store.keep(encoded.id, input.items, encoded.output);
      return encoded;
    },
    encodeError: encodeOpenaiError,
  };
}

function answerAside(
  { method, pathname }: ScriptedWireRequest,
  models: readonly string[],
): ScriptedWireAnswer | undefined {
  if (method === 'POST' && pathname === RESPONSES_PATH) return undefined;
  const listed = method === 'GET' ? listModels(pathname, models) : undefined;
  return listed ?? encodeOpenaiError({ statusCode: 404, message: `Invalid URL (${method} ${pathname})` });
}

function readTurn({ body }: ScriptedWireRequest, store: ResponsesStore): WireReading {
  if (body === undefined) return refuse({ statusCode: 400, message: 'The request body is not valid JSON.' });
  const parsed = responsesRequestSchema.safeParse(body);
  if (!parsed.success) return refuse(refusedShape(parsed.error, body));
  const input = store.expand(parsed.data);
  if (input.type === 'refusal') return input;
  const refusal = responsesRefusal(parsed.data, input.items);
  return refusal === undefined
    ? { type: 'turn', turn: responsesTurn(parsed.data, input.items) }
    : refuse(refusal);
}

function refuse(error: WireError): WireReading {
  return { type: 'refusal', error };
}

/** Returns the list of models or one of them. Undefined for another path or an unlisted model. */
function listModels(pathname: string, models: readonly string[]): ScriptedWireAnswer | undefined {
  if (pathname === MODELS_PATH) {
    // Codex reads its model catalogue from the same path, under `models`. If it is empty, Codex
    // keeps its built-in one.
    return { statusCode: 200, body: { object: 'list', data: models.map(modelOf), models: [] } };
  }
  const id = models.find((model) => pathname === `${MODELS_PATH}/${encodeURIComponent(model)}`);
  return id === undefined ? undefined : { statusCode: 200, body: modelOf(id) };
}

function modelOf(id: string): JsonValue {
  return { id, object: 'model', created: 0, owned_by: 'scripted' };
}
