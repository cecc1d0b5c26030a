/** Route definition: path, input, output and handler. */
import type { z } from 'zod';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { AccessToken, TokenScope } from '../contract/access-tokens.ts';
import type { TraceHeaders } from '@truecast/model/internal/telemetry/traceparent';
import type { ReadBody } from './read-body.ts';
import type { ReceiptShare } from '../state/shares/receipt-shares.ts';
import type { GivenCode } from './session/sign-in-code.ts';
import type { ServerParts } from './server-parts.ts';

/** A JSON response, or an empty one. */
export interface JsonAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/** An authenticated request with parsed parameters and body. */
export interface Call<TBody, TQuery> {
  readonly parts: ServerParts;
  readonly token: AccessToken;
  /** The share link of a route with the scope `share`. Its token has no scope. */
  readonly share?: ReceiptShare;
  /** The code that a route with the scope `sign-in` got instead of a token. */
  readonly code?: GivenCode;
  readonly owner: string;
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: TQuery;
  readonly body: ReadBody<TBody>;
  /** Requested method and path. They scope idempotency keys. */
  readonly target: string;
  readonly headers: Headers;
  /** Headers of the request's span. */
  readonly trace: TraceHeaders;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  /** Call it once when a returned stream has ended. */
  readonly onStreamEnd: () => void;
}

/** Response description of a route. */
export interface RouteAnswer {
  readonly status: number;
  readonly description: string;
  readonly schema?: z.ZodType;
  /** One or several. @default 'application/json' */
  readonly mediaType?: string | readonly string[];
}

export interface HttpRoute<TBody = unknown, TQuery = unknown> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly body?: z.ZodType<TBody>;
  readonly query?: z.ZodType<TQuery>;
  /** True if an invalid `response_format` in the body is rejected. @default true */
  readonly judgesFormat?: boolean;
  /** True if `limits` in the body are those of the route, not of an answer. @default false */
  readonly hasOwnLimits?: boolean;
  /**
   * Required scope of the token. `share`: the key of a share link instead of a token. `sign-in`: any token, or a
   * sign-in code. @default 'chats'
   */
  readonly scope?: TokenScope | 'any' | 'share' | 'sign-in';
  readonly takesIdempotencyKey?: boolean;
  readonly answer: RouteAnswer;
  /** True if it counts as an open stream, not as a request. @default false */
  readonly isStream?: boolean;
  handle(call: Call<TBody, TQuery>): Promise<JsonAnswer | Response>;
}

/** Declares a route with types inferred from its schemas. */
export function defineRoute<TBody = Record<string, never>, TQuery = Record<string, never>>(
  route: HttpRoute<TBody, TQuery>,
): HttpRoute {
  // Bodies and queries reach `handle` only through these schemas.
  return route;
}

/** Parses a positive per-chat id. Anything else is answered as not found. */
export function countingId(
  { params }: Pick<Call<unknown, unknown>, 'params'>,
  name: string,
  code: 'message-not-found' | 'queued-not-found',
): number {
  const text = params[name] ?? '';
  const id = Number(text);
  if (/^[1-9]\d{0,14}$/u.test(text)) return id;
  throw new ChatStateError('No resource has this id. Read the list again.', { code, subject: text });
}

/** Parses the chat id in the path. */
export function chatIdOf({ params }: Pick<Call<unknown, unknown>, 'params'>): string {
  return params['id'] ?? '';
}

/** Rejects one field of a body. */
export function refuseField(field: string, detail: string, pointer?: string): RequestRefusedError {
  const problem = { field, detail, ...(pointer !== undefined && { pointer }) };
  return new RequestRefusedError(`\`${field}\`: ${detail}`, { code: 'invalid-body', problems: [problem] });
}
