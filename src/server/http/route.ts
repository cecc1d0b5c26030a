/** Owns what a route is: its place in the API, what it takes, what it answers, and its work. */
import type { z } from 'zod';
import { RequestRefusedError } from '../../errors/request-refused-error.ts';
import { ChatStateError } from '../../errors/chat-state-error.ts';
import type { AccessToken } from '../contract/access-tokens.ts';
import type { ReadBody } from './read-body.ts';
import type { ServerParts } from './server-parts.ts';

/** An answer in JSON, or none. */
export interface JsonAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/** A request whose token, parameters and body were read. */
export interface Call<TBody, TQuery> {
  readonly parts: ServerParts;
  readonly token: AccessToken;
  readonly owner: string;
  /** The parameters of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: TQuery;
  readonly body: ReadBody<TBody>;
  /** Method and path as they were asked for; keys of clients are told apart by it. */
  readonly target: string;
  readonly headers: Headers;
  /** Aborts when the client leaves or the server closes. */
  readonly signal: AbortSignal;
  /** To be called once when a stream that was answered has ended. */
  readonly onStreamEnd: () => void;
}

/** What a route answers with. */
export interface RouteAnswer {
  readonly status: number;
  readonly description: string;
  readonly schema?: z.ZodType;
  /** @default 'application/json' */
  readonly mediaType?: string;
}

/** A route. */
export interface Route<TBody = unknown, TQuery = unknown> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly body?: z.ZodType<TBody>;
  readonly query?: z.ZodType<TQuery>;
  /** Whether a `response_format` in the body is refused where it is wrong. @default true */
  readonly judgesFormat?: boolean;
  readonly takesIdempotencyKey?: boolean;
  readonly answer: RouteAnswer;
  /** Counted among the open streams, not among the requests. @default false */
  readonly isStream?: boolean;
  handle(call: Call<TBody, TQuery>): Promise<JsonAnswer | Response>;
}

/** Declares a route, its types taken from its schemas. */
export function defineRoute<TBody = Record<string, never>, TQuery = Record<string, never>>(
  route: Route<TBody, TQuery>,
): Route {
  // Bodies and queries reach `handle` only through the schemas beside it.
  return route;
}

/** Reads an id that counts from 1 within a chat; what is none is an id of nothing. */
export function countingId(
  { params }: Pick<Call<unknown, unknown>, 'params'>,
  name: string,
  code: 'message-not-found' | 'queued-not-found',
): number {
  const text = params[name] ?? '';
  const id = Number(text);
  if (/^[1-9]\d{0,14}$/u.test(text)) return id;
  throw new ChatStateError('There is nothing with that id. Read the list again.', { code, subject: text });
}

/** Reads the id of the chat in the path. */
export function chatIdOf({ params }: Pick<Call<unknown, unknown>, 'params'>): string {
  return params['id'] ?? '';
}

/** Refuses one field of a body. */
export function refuseField(field: string, detail: string, pointer?: string): RequestRefusedError {
  const problem = { field, detail, ...(pointer !== undefined && { pointer }) };
  return new RequestRefusedError(`\`${field}\`: ${detail}`, { code: 'invalid-body', problems: [problem] });
}
