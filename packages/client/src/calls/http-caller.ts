/** HTTP requests to the server: retries where safe, and validated responses. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { describeMismatch, findMismatch } from '@truecast/core/internal/shape/find-mismatch';
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import type { Shape } from '@truecast/core/internal/shape/shape';
import { serverProblem } from '../wire/response-format.ts';
import { baseAddress } from './base-address.ts';

/** Common options of all requests. */
export interface Connection {
  readonly baseURL: string;
  /** Checked before each request. */
  readonly token: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** Retries after the first request. */
  readonly maxRetries: number;
}

export interface CallOptions<T> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path from the server's root, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Makes a state-changing request safe to retry. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly shape: Shape<T>;
}

const BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 10_000;
const MAX_RETRY_AFTER_SECONDS = 60;
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Sends a request and reads the response.
 *
 * @throws ServerError
 */
export async function callServer<T>(connection: Connection, options: CallOptions<T>): Promise<T> {
  const { status, text } = await sendAndRead(connection, options, async (response) => ({
    status: response.status,
    text: await response.text(),
  }));
  if (status === 204) return readAs(options.shape, undefined, status);
  const parsed = parseBoundedJson(text);
  if (!parsed.success) throw invalidResponse(parsed.reason, status, parsed.cause);
  return readAs(options.shape, parsed.value, status);
}

/** Sends the request and retries transient failures. Returns a success response, of which nothing is read. */
export function send(
  connection: Connection,
  options: Omit<CallOptions<unknown>, 'shape'>,
): Promise<Response> {
  return sendAndRead(connection, options, (response) => Promise.resolve(response));
}

/**
 * Sends the request, and reads a success response. A connection that breaks while its body is read is a transient
 * failure too.
 *
 * @throws ServerError
 */
export async function sendAndRead<T>(
  connection: Connection,
  options: Omit<CallOptions<unknown>, 'shape'>,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const token = checkedToken(connection.token);
  const resolved = { ...connection, token, baseURL: baseAddress(connection.baseURL) };
  const isRepeatable = options.method === 'GET' || options.idempotencyKey !== undefined;
  for (let tries = 0; ; tries += 1) {
    const isLast = !isRepeatable || tries >= connection.maxRetries;
    const outcome = await sendOnce(resolved, options, read);
    if (outcome.type === 'read') return outcome.value;
    const isRetried = outcome.type === 'failure' || RETRIED.has(outcome.response.status);
    if (isLast || !isRetried) throw await toError(outcome, resolved, options.signal);
    const backoffMs = Math.min(BACKOFF_MS * 2 ** tries, MAX_BACKOFF_MS);
    await delay(Math.max(backoffMs, askedSeconds(outcome) * 1_000), options.signal);
  }
}

function checkedToken(token: unknown): string {
  const trimmed = typeof token === 'string' ? token.trim() : '';
  if (trimmed !== '') return trimmed;
  throw new UsageError(
    `Expected \`token\` to be a token of the server, got ${typeof token === 'string' ? 'an empty string' : describeValue(token)}. Create one with \`truecast token create\`.`,
  );
}

type Refused =
  | { readonly type: 'response'; readonly response: Response }
  | { readonly type: 'failure'; readonly cause: unknown };

/** The `retry-after` delay in seconds. A date, or anything else, is ignored. */
function askedSeconds(outcome: Refused): number {
  const asked = outcome.type === 'response' ? Number(outcome.response.headers.get('retry-after')) : 0;
  return asked > 0 ? Math.min(asked, MAX_RETRY_AFTER_SECONDS) : 0;
}

async function sendOnce<T>(
  { baseURL, token, fetch }: Connection & { readonly token: string },
  { method, path, body, idempotencyKey, signal }: Omit<CallOptions<unknown>, 'shape'>,
  read: (response: Response) => Promise<T>,
): Promise<Refused | { readonly type: 'read'; readonly value: T }> {
  try {
    const response = await fetch(`${baseURL}${path}`, {
      method,
      // The token and the message are only for the address that the caller set.
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    if (response.ok) return { type: 'read', value: await read(response) };
    return { type: 'response', response };
  } catch (cause) {
    signal?.throwIfAborted();
    return { type: 'failure', cause };
  }
}

async function toError(
  outcome: Refused,
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<ServerError> {
  if (outcome.type === 'failure') return unreachable(connection, outcome.cause);
  const { status, headers } = outcome.response;
  // A browser shows a redirect as status 0, and hides where it leads.
  if (status < 400) {
    return invalidResponse(`it redirects to ${headers.get('location') ?? 'another address'}`, status);
  }
  try {
    const parsed = parseBoundedJson(await outcome.response.text());
    if (!parsed.success) return invalidResponse('it is not a problem document', status);
    const problem = readAs(serverProblem, parsed.value, status);
    return new ServerError(problem.detail, { code: 'refused', statusCode: status, problem });
  } catch (cause) {
    signal?.throwIfAborted();
    return ServerError.isInstance(cause) ? cause : unreachable(connection, cause);
  }
}

function unreachable({ baseURL }: Connection, cause: unknown): ServerError {
  return new ServerError(`The server at ${baseURL} cannot be reached. Check that it runs there.`, {
    code: 'unreachable',
    cause,
  });
}

/** Validates a value of the wire. Members of a newer server are allowed. */
export function readAs<T>(shape: Shape<T>, value: unknown, statusCode?: number): T {
  const wrong = findMismatch(shape, value);
  if (wrong !== undefined) throw invalidResponse(describeMismatch(wrong), statusCode);
  // The value has the shape. This is the only place that assigns its type.
  return value as T;
}

function invalidResponse(reason: string, statusCode?: number, cause?: unknown): ServerError {
  return new ServerError(
    `The response is not from a Truecast server: ${reason}. Check the address. Update the older side.`,
    { code: 'invalid-response', cause, ...(statusCode !== undefined && { statusCode }) },
  );
}

/** Waits. Rejects with the signal's reason. */
export async function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', stop, { once: true });
    function finish(): void {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}

/** Returns a unique key. Works without a secure context too, where `randomUUID` is missing. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
