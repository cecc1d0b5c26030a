/** Wire format of Anthropic Messages: routing, refusals and errors. */
import { anthropicRequestSchema, neutralTurn } from './anthropic-request.ts';
import { anthropicRefusal } from './anthropic-rules.ts';
import { encodeAnthropic, serviceId } from './anthropic-encoding.ts';
import { firstFieldIssue } from '../turn/describe-issue.ts';
import type {
  ScriptedWire,
  ScriptedWireAnswer,
  WireError,
  WireReading,
  ScriptedWireRequest,
} from '../turn/model-wire.ts';
import { scriptedTokens } from '../turn/settle-message.ts';

const MESSAGES_PATH = '/v1/messages';
const COUNT_PATH = '/v1/messages/count_tokens';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function anthropicMessagesWire(): ScriptedWire {
  return {
    name: 'anthropic-messages',
    owns: isAnthropic,
    keyOf: (headers) => headers['x-api-key'] ?? bearerOf(headers),
    answerAside: (request) => answerAside(request),
    read: readTurn,
    encode: encodeAnthropic,
    encodeError,
  };
}

/** The token of an `authorization: Bearer` header. */
export function bearerOf(headers: Readonly<Record<string, string>>): string | undefined {
  return /^Bearer\s+(\S+)$/iu.exec(headers['authorization'] ?? '')?.[1];
}

function isAnthropic({ pathname, headers }: ScriptedWireRequest): boolean {
  return pathname.startsWith(MESSAGES_PATH) || pathname.startsWith('/api/') || 'anthropic-version' in headers;
}

function answerAside({ method, pathname, body }: ScriptedWireRequest): ScriptedWireAnswer | undefined {
  if (method === 'POST' && pathname === MESSAGES_PATH) return undefined;
  if (method === 'POST' && pathname === COUNT_PATH) {
    return { statusCode: 200, body: { input_tokens: scriptedTokens(JSON.stringify(body ?? {}).length) } };
  }
  if (method === 'GET' && pathname === '/v1/models') {
    return { statusCode: 200, body: { data: [], has_more: false, first_id: null, last_id: null } };
  }
  // Claude Code probes the server at its first start and accepts any success.
  if (pathname === '/api/hello') return { statusCode: 200, body: { message: 'hello' } };
  if (method === 'HEAD') return { statusCode: 200 };
  return encodeError({ statusCode: 404, message: `Not found: ${method} ${pathname}` });
}

function readTurn({ headers, body }: ScriptedWireRequest): WireReading {
  if (headers['anthropic-version'] === undefined) return refuse('anthropic-version: header is required');
  if (body === undefined) return refuse('The request body is not valid JSON');
  const parsed = anthropicRequestSchema.safeParse(body);
  if (!parsed.success) {
    const { path, message } = firstFieldIssue(parsed.error, body);
    return refuse(`${path.join('.')}: ${message}`);
  }
  const refusal = anthropicRefusal(parsed.data);
  return refusal === undefined ? { type: 'turn', turn: neutralTurn(parsed.data) } : refuse(refusal);
}

function refuse(message: string): WireReading {
  return { type: 'refusal', error: { statusCode: 400, message } };
}

function encodeError({ statusCode, message, code, retryAfterSeconds }: WireError): ScriptedWireAnswer {
  const type = code ?? ERROR_TYPES[statusCode] ?? (statusCode < 500 ? 'invalid_request_error' : 'api_error');
  const requestId = serviceId('req');
  return {
    statusCode,
    headers: {
      'request-id': requestId,
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: { type: 'error', error: { type, message }, request_id: requestId },
  };
}
