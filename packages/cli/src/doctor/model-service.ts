/** Model service under test: HTTP requests to a Chat Completions server, and diagnoses of failures. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { createHeaderMask } from '@truecast/model/internal/call/model-mask';
import { codesIn, refusalCause, type RefusalCause } from '@truecast/model/internal/failure/refusal';
import { connectionFailure, connectionSentence } from '@truecast/model/internal/failure/unreachable';
import { boundedFetch } from '@truecast/model/internal/call/model-fetch';
import { parseJson } from '@truecast/core/internal/json/parse-json';

/** Address and key of a service. */
export interface ProbedService {
  /** Without a trailing slash. */
  readonly url: string;
  readonly apiKey?: string | undefined;
}

/** A reply as JSON, or its status and text if it is not JSON. */
export interface ServiceReply {
  readonly status: number;
  readonly text: string;
  /** Empty if the reply is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The `server` header. */
  readonly software: string;
}

/** A model on a slow CPU needs minutes for a reply. */
const TIMEOUT_MS = 280_000;

/** Sends a GET request, or a POST request if there is a body. */
export async function requestOf(
  { url, apiKey }: ProbedService,
  path: string,
  body?: object,
): Promise<ServiceReply> {
  const headers = {
    'content-type': 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  try {
    const response = await boundedFetch(`${url}${path}`, {
      ...sent,
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = createHeaderMask(headers).mask(await response.text());
    const parsed = parseJson(text);
    const json = parsed.success && isRecord(parsed.value) ? parsed.value : {};
    return { status: response.status, text, json, software: response.headers.get('server') ?? '' };
  } catch (error) {
    if (ModelError.isInstance(error)) throw error;
    throw unreachable(url, error);
  }
}

function unreachable(url: string, cause: unknown): ModelError {
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new ModelError(
      `The server at ${url} did not reply within ${TIMEOUT_MS / 1_000} seconds. Check whether it still loads the model, or try a smaller one.`,
      { code: 'timeout', cause },
    );
  }
  const failure = connectionFailure(cause);
  if (failure !== undefined) {
    return new ModelError(connectionSentence(failure, url, 'the address'), { code: 'unreachable', cause });
  }
  return new ModelError(
    `No server can be reached at ${url}: ${cut(String(cause))}. Start the server, or check the host and the port.`,
    { code: 'unreachable', cause },
  );
}

/** Returns true for a reply of a Chat Completions service to one of its paths. */
export function isServed({ status, json }: ServiceReply): boolean {
  return status === 200 && (Array.isArray(json['choices']) || Array.isArray(json['data']));
}

/** Returns the error for a reply that is not an answer: its cause, and the next step. */
export async function failureOf(service: ProbedService, reply: ServiceReply): Promise<ModelError> {
  const { status: statusCode, text } = reply;
  const said = cut(text.trim() === '' ? 'nothing' : text.trim());
  return new ModelError(`${await causeOf(service, reply)} It replied with status ${statusCode}: ${said}`, {
    code: statusCode === 429 ? 'rate-limit' : 'http',
    statusCode,
  });
}

/** The settings of this command are variables and flags. */
const CAUSES: Readonly<Partial<Record<RefusalCause, string>>> = {
  key: 'The server refuses the key. Set TRUECAST_API_KEY to a valid one.',
  access: 'The server refuses the key. Set TRUECAST_API_KEY to a valid one.',
  quota: 'The account has no quota left. Add credit to it, or use another server.',
  'rate-limit': 'The server limits the rate of requests. Try again later.',
  'context-full': "The prompt does not fit the model's context. Start the server with a larger one.",
  'unknown-model': 'The server does not have this model. Load it, or set `--model-name` to another one.',
  loading: 'The server is loading its model. Try again when it is ready.',
  overloaded: 'The server failed. Read its log.',
  slow: 'The server failed. Read its log.',
  service: 'The server failed. Read its log.',
};

async function causeOf(service: ProbedService, { status, text }: ServiceReply): Promise<string> {
  const { url } = service;
  const cause = refusalCause({ statusCode: status, codes: codesIn(text), text });
  const told = cause === undefined ? undefined : CAUSES[cause];
  if (told !== undefined) return told;
  const versioned = `${url}/v1`;
  if (!url.endsWith('/v1') && isServed(await requestOf({ ...service, url: versioned }, '/models'))) {
    return `The address lacks \`/v1\`. Use ${versioned}.`;
  }
  if (/<html|<!doctype/iu.test(text)) return 'The address is a web page. Use the address of the API.';
  return 'The address is not a Chat Completions service. Check its path: it usually ends with `/v1`.';
}
