/** HTTP fixture: the turn server with its routes, and a client that only knows the HTTP API. */
import { parseJson } from '../../packages/core/src/json/parse-json.ts';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { listenHttp, type ListenHttpOptions } from '../../packages/server/src/http/app/listen-http.ts';
import { assertDocumented } from '../../packages/server/src/http/test-contract.ts';
import type { CreatedChatView } from '../../packages/client/src/wire/chat.ts';
import { OWNER, testServer, type TestServer, type TestServerOptions } from './test-server.ts';
import { testModels } from '../../packages/server/src/http/test-models.ts';

/** A test's server options. */
export interface HttpServerOptions extends TestServerOptions {
  readonly http?: Partial<ListenHttpOptions>;
}

/** A response. Its body is typed by the test. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Request options besides the URL. */
export interface AskOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

/** A server over HTTP whose worker runs turns. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly turns: TestServer;
  /** Faults that the server logged. */
  readonly faults: unknown[];
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
  /** Creates a chat and returns its id and its request's id. */
  begin(body: object): Promise<{ readonly chatId: string; readonly requestId: string }>;
  /** Waits for the end of the request and returns its receipt. */
  receipt(chatId: string, requestId: string): Promise<Readonly<Record<string, unknown>>>;
}

/** Starts a server. Closing it leaves the store open. */
export async function httpServer(options: HttpServerOptions): Promise<HttpServer> {
  const turns = await testServer(options);
  const faults: unknown[] = [];
  const server = await listenHttp({
    store: options.store,
    machine: turns.machine,
    live: turns.live,
    port: 0,
    models: testModels('test:scripted'),
    limits: { requestsPerMinute: 100_000, concurrentRequests: 1_000, openStreams: 1_000 },
    onFault: (error) => faults.push(error),
    ...options.http,
  });
  const { token } = await issueToken(options.store, {
    name: 'test',
    owner: OWNER,
    scopes: ['chats', 'metrics'],
  });
  const asked: HttpServer['ask'] = (method, path, more = {}) =>
    ask(server.url, method, path, { token, ...more });
  return {
    url: server.url,
    token,
    turns,
    faults,
    ask: asked,
    begin: async (body) => {
      const { status, json, text } = await asked('POST', '/api/chats', { body });
      if (status !== 201) throw new TypeError(`${status} ${text}`);
      const made = json as unknown as CreatedChatView;
      return { chatId: made.chat.id, requestId: made.request_id ?? '' };
    },
    receipt: async (chatId, requestId) =>
      (await asked('GET', `/api/chats/${chatId}/requests/${requestId}?wait=30`)).json,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await turns[Symbol.asyncDispose]();
    },
  };
}

async function ask(
  url: string,
  method: string,
  path: string,
  { body, headers, token }: AskOptions,
): Promise<Answer> {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
  });
  const text = await response.text();
  const { status } = response;
  const contentType = response.headers.get('content-type');
  await assertDocumented({ method, path, status, contentType, text, ...(sent !== undefined && { sent }) });
  const parsed = parseJson(text);
  // Each test validates it.
  const json = (parsed.success ? parsed.value : {}) as Answer['json'];
  return { status, headers: response.headers, text, json };
}
