/** HTTP requests to the server: retries where safe, and validated responses. */
import { z } from 'zod';
import type { WireSchema } from '../server/contract/wire-schema.ts';
import { ServerError, type ServerProblem } from '../errors/server-error.ts';
import { parseJson } from '../output/json/parse-json.ts';
import { delay } from './delay.ts';

/** Common options of all requests. */
export interface Connection {
  readonly baseURL: string;
  readonly token: string;
  readonly fetch: typeof globalThis.fetch;
  /** Retries after the first request. */
  readonly maxRetries: number;
}

/** One request. */
export interface CallOptions<T> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path from the server's root, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Makes a state-changing request safe to retry. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly schema: WireSchema<T>;
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
  const response = await send(connection, options);
  const text = await response.text();
  if (response.status === 204) return readAs(options.schema, undefined, response.status);
  const parsed = parseJson(text);
  if (!parsed.success) throw invalidResponse(parsed.reason, response.status, parsed.cause);
  return readAs(options.schema, parsed.value, response.status);
}

/** Sends the request and retries transient failures. Returns a success response. */
export async function send(
  connection: Connection,
  options: Omit<CallOptions<unknown>, 'schema'>,
): Promise<Response> {
  const isRepeatable = options.method === 'GET' || options.idempotencyKey !== undefined;
  for (let tries = 0; ; tries += 1) {
    const isLast = !isRepeatable || tries >= connection.maxRetries;
    const outcome = await sendOnce(connection, options);
    if (outcome.type === 'response' && outcome.response.ok) return outcome.response;
    const isRetried = outcome.type === 'failure' || RETRIED.has(outcome.response.status);
    if (isLast || !isRetried) throw await toError(outcome, connection);
    const backoffMs = Math.min(BACKOFF_MS * 2 ** tries, MAX_BACKOFF_MS);
    await delay(Math.max(backoffMs, askedSeconds(outcome) * 1_000), options.signal);
  }
}

type Outcome =
  | { readonly type: 'response'; readonly response: Response }
  | { readonly type: 'failure'; readonly cause: unknown };

/** The `retry-after` delay in seconds. A date, or anything else, is ignored. */
function askedSeconds(outcome: Outcome): number {
  const asked = outcome.type === 'response' ? Number(outcome.response.headers.get('retry-after')) : 0;
  return asked > 0 ? Math.min(asked, MAX_RETRY_AFTER_SECONDS) : 0;
}

async function sendOnce(
  { baseURL, token, fetch }: Connection,
  { method, path, body, idempotencyKey, signal }: Omit<CallOptions<unknown>, 'schema'>,
): Promise<Outcome> {
  try {
    const response = await fetch(`${baseURL}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    return { type: 'response', response };
  } catch (cause) {
    signal?.throwIfAborted();
    return { type: 'failure', cause };
  }
}

async function toError(outcome: Outcome, { baseURL }: Connection): Promise<ServerError> {
  if (outcome.type === 'failure') {
    return new ServerError(`The server at ${baseURL} cannot be reached. Check that it runs there.`, {
      code: 'unreachable',
      cause: outcome.cause,
    });
  }
  const { status } = outcome.response;
  const parsed = parseJson(await outcome.response.text());
  const problem = problemSchema.safeParse(parsed.success ? parsed.value : undefined);
  if (!problem.success) return invalidResponse('it is not a problem document', status);
  return new ServerError(problem.data.detail, { code: 'refused', statusCode: status, problem: problem.data });
}

/** Only fields that this client uses. A newer server can send more. */
const problemSchema: WireSchema<ServerProblem> = z.object({
  code: z.string(),
  detail: z.string(),
  field: z.string().exactOptional(),
  problems: z
    .array(z.object({ field: z.string(), detail: z.string(), pointer: z.string().exactOptional() }))
    .exactOptional(),
  request_id: z.string().exactOptional(),
});

/** Validates a value of the wire contract. Members of a newer server are allowed. */
export function readAs<T>(schema: WireSchema<T>, value: unknown, statusCode?: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const isOnlyNewer = parsed.error.issues.every(({ code }) => code === 'unrecognized_keys');
  // The schema validated all members it knows.
  if (isOnlyNewer) return value as T;
  const [issue] = parsed.error.issues;
  throw invalidResponse(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, statusCode);
}

function invalidResponse(reason: string, statusCode?: number, cause?: unknown): ServerError {
  return new ServerError(
    `The response is not from a Truecast server: ${reason}. Check the address, and that client and server have the same version.`,
    { code: 'invalid-response', cause, ...(statusCode !== undefined && { statusCode }) },
  );
}
