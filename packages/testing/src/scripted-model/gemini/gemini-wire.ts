/** Wire format of Gemini `generateContent`: routing, refusals and errors. */
import { firstFieldIssue } from '../turn/describe-issue.ts';
import { encodeGemini } from './gemini-encoding.ts';
import { geminiRequestSchema } from './gemini-request.ts';
import { geminiRefusal } from './gemini-rules.ts';
import { geminiTurn } from './gemini-turn.ts';
import type {
  ScriptedWire,
  ScriptedWireAnswer,
  WireError,
  WireReading,
  ScriptedWireRequest,
} from '../turn/model-wire.ts';
import { scriptedTokens } from '../turn/settle-message.ts';

const ROOT = '/v1beta/';
const MODEL_PATH = /^\/v1beta\/models\/([^/:]+):(\w+)$/u;

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Implements Gemini. A stream is sent as server-sent events, as with `alt=sse`. */
export function geminiWire(): ScriptedWire {
  return {
    name: 'gemini-generate-content',
    owns: ({ pathname }) => pathname.startsWith(ROOT),
    keyOf: (headers) => headers['x-goog-api-key'],
    answerAside,
    read: readTurn,
    encode: (message) => encodeGemini(message),
    encodeError,
  };
}

function answerAside({ method, pathname, body }: ScriptedWireRequest): ScriptedWireAnswer | undefined {
  const [, , call] = MODEL_PATH.exec(pathname) ?? [];
  if (method === 'POST' && (call === 'generateContent' || call === 'streamGenerateContent')) return undefined;
  if (method === 'POST' && call === 'countTokens') {
    const totalTokens = scriptedTokens(JSON.stringify(body ?? {}).length);
    return { statusCode: 200, body: { totalTokens } };
  }
  return encodeError({ statusCode: 404, message: `Not found: ${method} ${pathname}` });
}

function readTurn({ pathname, body }: ScriptedWireRequest): WireReading {
  const [, model = '', call] = MODEL_PATH.exec(pathname) ?? [];
  if (body === undefined) return refuse('Invalid JSON payload received.');
  const parsed = geminiRequestSchema.safeParse(body);
  if (!parsed.success) {
    const { path, message } = firstFieldIssue(parsed.error, body);
    return refuse(`Invalid value at '${path.join('.')}': ${message}`);
  }
  const refusal = geminiRefusal(parsed.data);
  if (refusal !== undefined) return refuse(refusal);
  const isStreaming = call === 'streamGenerateContent';
  return { type: 'turn', turn: geminiTurn(parsed.data, { model: decodeURIComponent(model), isStreaming }) };
}

function refuse(message: string): WireReading {
  return { type: 'refusal', error: { statusCode: 400, message } };
}

function encodeError({ statusCode, message, code, retryAfterSeconds }: WireError): ScriptedWireAnswer {
  const fallback = statusCode < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL';
  return {
    statusCode,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: {
      error: {
        code: statusCode,
        message,
        status: code ?? STATUS_NAMES[statusCode] ?? fallback,
        ...(retryAfterSeconds !== undefined && {
          details: [
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` },
          ],
        }),
      },
    },
  };
}
