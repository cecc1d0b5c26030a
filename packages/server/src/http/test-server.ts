/**
 * Shared test fixtures of the server: a real server on 127.0.0.1 with an in-memory store, two
 * owners, and a small worker.
 */
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { openStore } from '@truecast/store/internal/open-store';
import type { Store } from '@truecast/store/internal/database/store';
import { liveParts, type LiveParts } from '../live/live-parts.ts';
import { createChatMachine, type ChatMachine } from '../state/chat-machine.ts';
import { issueToken } from '../tokens/access-token.ts';
import { listenHttp, type ListenHttpOptions } from './app/listen-http.ts';
import { assertDocumented } from './test-contract.ts';
import type { ChatPageView, ChatView, CreatedChatView, ModelView } from '@truecast/client/internal/wire/chat';
import type {
  EditedView,
  MessagePageView,
  QueueView,
  SentView,
} from '@truecast/client/internal/wire/message';
import type { DryRunView } from '@truecast/client/internal/wire/response-format';
import type { ProblemDocument } from '../contract/wire/problem-wire.ts';
import { testModels } from './test-models.ts';

/** A server under test. */
export interface TestServer {
  readonly url: string;
  readonly store: Store;
  readonly machine: ChatMachine;
  readonly live: LiveParts;
  readonly faults: unknown[];
  readonly token: string;
  readonly otherToken: string;
  /** Sends a request as the first owner. `token: null` sends none. */
  ask(method: string, path: string, options?: TestRequest): Promise<TestAnswer>;
  close(): Promise<void>;
}

export interface TestRequest {
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: RequestInit['body'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly json: AnswerJson;
}

/** Every possible response member. Tests check which ones are present. */
export type AnswerJson = ChatView &
  CreatedChatView &
  MessagePageView &
  QueueView &
  Required<SentView> &
  EditedView &
  ChatPageView &
  Omit<ProblemDocument, 'status'> &
  DryRunView & { readonly models: readonly ModelView[] };

export const FORMAT: object = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  },
};

export interface TestServerOptions extends Partial<ListenHttpOptions> {
  /** Database URL. @default in memory */
  readonly url?: string;
}

export async function startServer({
  url = ':memory:',
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const store = options.store ?? (await openStore({ url }));
  const machine = options.machine ?? createChatMachine({ store });
  const live = liveParts(store);
  const faults: unknown[] = [];
  const server = await listenHttp({
    store,
    machine,
    live,
    port: 0,
    models: testModels('scripted:a', 'scripted:b'),
    onFault: (error) => faults.push(error),
    ...options,
  });
  const { token } = await issueToken(store, { name: 'one', scopes: ['chats', 'metrics'] });
  const { token: otherToken } = await issueToken(store, { name: 'other' });
  return {
    url: server.url,
    store,
    machine,
    live,
    faults,
    token,
    otherToken,
    ask: (method, path, asked = {}) => ask(server.url, token, method, path, asked),
    async close() {
      await server.close();
      await store.close();
    },
  };
}

async function ask(
  url: string,
  ownToken: string,
  method: string,
  path: string,
  { body, raw, headers = {}, token = ownToken }: TestRequest,
): Promise<TestAnswer> {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent, duplex: 'half' }),
  });
  const text = await response.text();
  const { status } = response;
  const contentType = response.headers.get('content-type');
  const asText = typeof sent === 'string' ? { sent } : {};
  await assertDocumented({ method, path, status, contentType, text, ...asText });
  const isJson = /json/u.test(contentType ?? '');
  // Each test checks the response itself.
  const parsed = parseJson(isJson ? text : '{}');
  const json = (parsed.success ? parsed.value : {}) as AnswerJson;
  return { status, headers: response.headers, text, json };
}

/**
 * Performs one step of a chat's turn through the state machine, as a worker would: replies `text`
 * and ends the turn.
 */
export async function settleTurn(
  machine: ChatMachine,
  chatId: string,
  text: string,
  valueText?: string,
): Promise<void> {
  const { fence } = await machine.acquire({ chatId, worker: 'test' });
  const step = await machine.commitStep(fence, {
    messages: [{ role: 'assistant', parts: [{ type: 'text', text }] }],
  });
  await machine.finishTurn(
    step.fence,
    valueText === undefined
      ? {}
      : { ending: { status: 'succeeded', value_text: valueText, attempts: [{ code: 'ok' }] } },
  );
}

/** Leaves a chat waiting for the client's tool `look`. */
export async function callClientTool(
  machine: ChatMachine,
  chatId: string,
  toolCallId = 'call-1',
): Promise<void> {
  const { fence } = await machine.acquire({ chatId, worker: 'test' });
  const step = await machine.commitStep(fence, {
    messages: [
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', tool_call_id: toolCallId, tool_name: 'look', args: '{"at":1}' }],
      },
    ],
    calls: [{ toolCallId, toolName: 'look', inputHash: 'h', idempotentHint: false, runBy: 'client' }],
  });
  await machine.enterRequiresAction(step.fence);
}
