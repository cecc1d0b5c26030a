/** Client of a Truecast server. */
import { checkedCalls } from './calls/checked-calls.ts';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import {
  chatPageView,
  chatView,
  modelListView,
  type ChatPageView,
  type ChatStatus,
  type ChatView,
  type ModelView,
  type PatchChatBody,
} from './wire/chat.ts';
import { dryRunView, type DryRunView, type ResponseFormatBody } from './wire/response-format.ts';
import { nothing } from '@truecast/core/internal/shape/shape';
import type { StopOptions } from './calls/call-options.ts';
import type { ClientChat, ClientChatOptions } from './client-chat.ts';
import { assertBaseURL } from './calls/base-address.ts';
import { callServer, type Connection } from './calls/http-caller.ts';
import { openClientChat } from './open-client-chat.ts';
import type { ClientRuns } from './runs/client-run.ts';
import { openClientRuns } from './runs/open-client-runs.ts';
import { toQuery } from './calls/to-query.ts';

/** Connection options. */
export interface ClientOptions {
  /** Such as `http://127.0.0.1:4747`, or a path such as `/ai` of the server that the page came from. */
  readonly baseURL: string;
  /** A token from `truecast token create`. The first call checks it, so a build needs no secret. */
  readonly token: string | undefined;
  /** @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** Retries of requests that are safe to repeat. @default 2 */
  readonly maxRetries?: number;
}

const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  baseURL: true,
  token: true,
  fetch: true,
  maxRetries: true,
};

/** A client. Every method rejects with `ServerError` if the server refuses. */
export interface Client {
  /** Returns a new chat, created by its first message, or the one with `id`. */
  chat(options?: ClientChatOptions): ClientChat;
  listChats(page?: {
    readonly limit?: number;
    readonly after?: string;
    readonly status?: ChatStatus;
    readonly model?: string;
    /** Text in the title. */
    readonly q?: string;
    /** @default 'created' */
    readonly sort?: 'created' | 'updated';
    readonly signal?: AbortSignal;
  }): Promise<ChatPageView>;
  patchChat(chatId: string, patch: PatchChatBody, options?: StopOptions): Promise<ChatView>;
  deleteChat(chatId: string, options?: StopOptions): Promise<void>;
  models(options?: StopOptions): Promise<readonly ModelView[]>;
  /** Returns all problems of a response format, and the losses at each provider. Runs no model. */
  validateFormat(format: ResponseFormatBody, options?: StopOptions): Promise<DryRunView>;
  /** Durable runs of coding agents on the server's repositories. */
  readonly runs: ClientRuns;
}

/**
 * Creates a client without sending anything. Needs only `fetch`, so it works in browsers too.
 *
 * @throws UsageError if `baseURL` is neither a URL nor a path. The first call rejects with one if `token` is missing, or
 *   if `baseURL` is a path and the program is no page
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const { output, receipt } = await client.chat().ask({
 *   prompt: 'Which file has the bug?',
 *   output: Output.object({ schema: z.object({ file: z.string(), line: z.number() }) }),
 * });
 * console.log(output.file, receipt.mode);
 * ```
 */
export function createClient(options: ClientOptions): Client {
  assertKnownOptions(options, { of: '`createClient()`', names: CLIENT_OPTIONS });
  const connection = toConnection(options);
  const chatPath = (id: string): string => `/api/chats/${encodeURIComponent(id)}`;
  const calls = checkedCalls<Omit<Client, 'runs'>>({
    chat: (chat = {}) => openClientChat(connection, chat),
    listChats: ({ signal, ...page } = {}) =>
      callServer(connection, {
        signal,
        method: 'GET',
        path: `/api/chats${toQuery(page)}`,
        shape: chatPageView,
      }),
    patchChat: (id, body, { signal } = {}) =>
      callServer(connection, { method: 'PATCH', path: chatPath(id), body, shape: chatView, signal }),
    async deleteChat(id, { signal } = {}) {
      await callServer(connection, { method: 'DELETE', path: chatPath(id), shape: nothing, signal });
    },
    async models({ signal } = {}) {
      const list = { method: 'GET', path: '/api/models', shape: modelListView, signal } as const;
      return (await callServer(connection, list)).models;
    },
    validateFormat: (response_format, { signal } = {}) =>
      callServer(connection, {
        signal,
        method: 'POST',
        path: '/api/response_formats/validate',
        body: { response_format },
        shape: dryRunView,
      }),
  });
  return { ...calls, runs: openClientRuns(connection) };
}

/** Checks the options. */
export function toConnection({
  baseURL,
  token,
  fetch = globalThis.fetch.bind(globalThis),
  maxRetries = 2,
}: ClientOptions): Connection {
  assertBaseURL(baseURL);
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw new UsageError(
      `Expected \`maxRetries\` to be a non-negative integer, got ${describeValue(maxRetries)}.`,
    );
  }
  return { baseURL: baseURL.replace(/\/+$/u, ''), token, fetch, maxRetries };
}
