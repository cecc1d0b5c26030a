/** Owns the wire format OpenAI Responses: which requests are its own, its refusals and its errors. */
import { bearerOf } from './anthropic-messages-wire.ts';
import { firstFieldIssue } from './describe-issue.ts';
import type { ModelWire, WireAnswer, WireError, WireReading, WireRequest } from './model-wire.ts';
import { encodeResponse } from './responses-encoding.ts';
import { responsesRequestSchema } from './responses-request.ts';
import { invalidRequest, responsesRefusal } from './responses-rules.ts';
import { responsesStore, type ResponsesStore } from './responses-store.ts';
import { responsesTurn } from './responses-turn.ts';

const RESPONSES_PATH = '/v1/responses';
const MODELS_PATH = '/v1/models';

/** The service's type and code by status. */
const ERROR_KINDS: Readonly<Record<number, { readonly type: string; readonly code: string | null }>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};

/** Speaks OpenAI Responses. Each instance remembers its own responses. */
export function openaiResponsesWire(): ModelWire {
  const store = responsesStore();
  return {
    name: 'openai-responses',
    owns: ({ pathname }) => pathname.startsWith(RESPONSES_PATH) || pathname.startsWith(MODELS_PATH),
    keyOf: bearerOf,
    answerAside,
    read: (request) => readTurn(request, store),
    encode: (message, request) => {
      const encoded = encodeResponse(message);
      const parsed = responsesRequestSchema.safeParse(request.body);
      const input = parsed.success ? store.expand(parsed.data) : undefined;
      if (input?.type === 'items') store.keep(encoded.id, input.items, encoded.output);
      return encoded;
    },
    encodeError,
  };
}

function answerAside({ method, pathname }: WireRequest): WireAnswer | undefined {
  if (method === 'POST' && pathname === RESPONSES_PATH) return undefined;
  if (method === 'GET' && pathname === MODELS_PATH) {
    // Codex reads its own catalogue from the same path, under `models`; empty, it keeps the one that it ships.
    return { statusCode: 200, body: { object: 'list', data: [], models: [] } };
  }
  return encodeError({ statusCode: 404, message: `Invalid URL (${method} ${pathname})` });
}

function readTurn({ body }: WireRequest, store: ResponsesStore): WireReading {
  if (body === undefined) return refuse({ statusCode: 400, message: 'The request body is not valid JSON.' });
  const parsed = responsesRequestSchema.safeParse(body);
  if (!parsed.success) {
    const { path, message, isMissing } = firstFieldIssue(parsed.error, body);
    const param = bracketPath(path);
    return refuse(
      isMissing
        ? invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
        : invalidRequest(`Invalid value for '${param}': ${message}.`, param, 'invalid_type'),
    );
  }
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

/** Writes a path as the service does: `input[0].content`. */
function bracketPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('');
}

function encodeError({ statusCode, message, param, code, retryAfterSeconds }: WireError): WireAnswer {
  const fallback = statusCode < 500 ? 'invalid_request_error' : 'server_error';
  const kind = ERROR_KINDS[statusCode] ?? { type: fallback, code: null };
  return {
    statusCode,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: { error: { message, type: kind.type, param: param ?? null, code: code ?? kind.code } },
  };
}
