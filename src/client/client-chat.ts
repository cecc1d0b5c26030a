/** Owns a chat as a client holds it: created by its first message, or taken up by its id. */
import { z } from 'zod';
import type { WireSchema } from '../server/contract/wire-schema.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { AnyOutputDefinition, InferOutput } from '../output/definition.ts';
import { receiptSchema, type Receipt } from '../server/contract/receipt.ts';
import { chatViewSchema, createdChatViewSchema, type ChatView } from '../server/contract/wire/chat-wire.ts';
import {
  editedViewSchema,
  messagePageViewSchema,
  queueViewSchema,
  sentViewSchema,
  type EditedView,
  type MessageBody,
  type MessagePageView,
  type QueueView,
  type SendMessageBody,
  type SentView,
  type ToolResultsBody,
} from '../server/contract/wire/message-wire.ts';
import { askChat, type AskOptions, type AskResult } from './ask-chat.ts';
import { followChat, type FollowOptions, type ReceivedEvent } from './chat-events.ts';
import { describeTools, type ClientTools } from './client-tools.ts';
import { randomKey } from './delay.ts';
import { callServer, type CallOptions, type Connection } from './http-caller.ts';

/** Which chat, or what a new one is made of. */
export interface ClientChatOptions {
  /** Of a chat that is there. @default a new one, created by its first message */
  readonly id?: string;
  /** @default the server's default model */
  readonly model?: string;
  readonly title?: string;
  readonly systemPrompt?: string;
  /** Run here when the model calls them, while `ask()` waits. Of a chat that is there, they must be those it was created with. */
  readonly tools?: ClientTools;
}

/** How one request is stopped; what the server did with it until then stays. */
export interface StopOptions {
  readonly signal?: AbortSignal;
}

/** How one request is sent. */
export interface RequestOptions extends StopOptions {
  /** @default a random one for each call */
  readonly idempotencyKey?: string;
}

/** Where a message stands that was sent by this client. */
export interface Sent extends SentView {
  readonly chatId: string;
}

/** A chat. Every method rejects with `ServerError` where the server refuses. */
export interface ClientChat {
  /** Undefined until the first message was sent. */
  readonly id: string | undefined;
  /** Sends a message, waits for its turn, and returns the answer: validated by the server, and once more here. */
  ask<TDefinition extends AnyOutputDefinition>(
    options: AskOptions<TDefinition>,
  ): Promise<AskResult<InferOutput<TDefinition>>>;
  /** Sends a message, and does not wait for its turn. */
  send(message: SendMessageBody, options?: RequestOptions): Promise<Sent>;
  edit(messageId: number, message: MessageBody, options?: RequestOptions): Promise<EditedView>;
  read(options?: RequestOptions): Promise<ChatView>;
  messages(page?: {
    readonly limit?: number;
    readonly before?: number;
    readonly after?: number;
    readonly signal?: AbortSignal;
  }): Promise<MessagePageView>;
  queue(options?: StopOptions): Promise<QueueView>;
  deleteQueued(queuedId: number, options?: StopOptions): Promise<void>;
  promoteQueued(queuedId: number, options?: StopOptions): Promise<ChatView>;
  interrupt(options?: StopOptions): Promise<ChatView>;
  compact(options?: StopOptions): Promise<ChatView>;
  submitToolResults(results: ToolResultsBody['results'], options?: RequestOptions): Promise<ChatView>;
  /** Reads a receipt; with `waitSeconds` it is held back until it is final, or so long. */
  request(
    requestId: string,
    options?: { readonly waitSeconds?: number; readonly signal?: AbortSignal },
  ): Promise<Receipt>;
  /** Follows the chat until the caller stops; connections that are lost are taken up again. */
  events(options?: FollowOptions): AsyncGenerator<ReceivedEvent, void, undefined>;
}

type Caller = <T>(
  method: CallOptions<T>['method'],
  path: string,
  schema: WireSchema<T>,
  rest?: Pick<CallOptions<T>, 'body' | 'signal' | 'idempotencyKey'>,
) => Promise<T>;

const nothing = z.undefined().transform(() => undefined);

/** Makes the chat; nothing is sent yet. */
export function createClientChat(connection: Connection, options: ClientChatOptions): ClientChat {
  let id = options.id;
  const here: Caller = (method, path, schema, rest = {}) =>
    callServer(connection, {
      method,
      path: `/api/chats/${encodeURIComponent(idOf())}${path}`,
      schema,
      ...rest,
    });
  const idOf = (): string => {
    if (id !== undefined) return id;
    throw new UsageError(
      'Expected the chat to exist, but nothing was sent yet. Send a message first, or pass `id`.',
    );
  };
  const send: ClientChat['send'] = async (message, { signal, idempotencyKey = randomKey() } = {}) => {
    const rest = { signal, idempotencyKey };
    if (id !== undefined) {
      const sent = await here('POST', '/messages', sentViewSchema, { body: message, ...rest });
      return { ...sent, chatId: id };
    }
    const body = { ...chatBody(options), ...message, busy_behavior: undefined };
    const made = {
      method: 'POST',
      path: '/api/chats',
      schema: createdChatViewSchema,
      body,
      ...rest,
    } as const;
    const { chat, ...sent } = await callServer(connection, made);
    id = chat.id;
    return { ...sent, chatId: id };
  };
  const chat: ClientChat = {
    get id() {
      return id;
    },
    send,
    ask: (asked) => askChat(chat, options.tools ?? {}, asked),
    events: (follow = {}) => followChat(connection, idOf(), follow),
    ...chatCalls(here),
  };
  return chat;
}

type Calls = Omit<ClientChat, 'id' | 'send' | 'ask' | 'events'>;

function chatCalls(here: Caller): Calls {
  const changed = (path: string, { signal }: StopOptions = {}): Promise<ChatView> =>
    here('POST', path, chatViewSchema, { signal });
  return {
    edit: (messageId, body, { signal } = {}) =>
      here('PATCH', `/messages/${messageId}`, editedViewSchema, { body, signal }),
    read: ({ signal } = {}) => here('GET', '', chatViewSchema, { signal }),
    messages: ({ signal, ...page } = {}) =>
      here('GET', `/messages${toQuery(page)}`, messagePageViewSchema, { signal }),
    queue: ({ signal } = {}) => here('GET', '/queue', queueViewSchema, { signal }),
    deleteQueued: (queuedId, { signal } = {}) =>
      here<void>('DELETE', `/queue/${queuedId}`, nothing, { signal }),
    promoteQueued: (queuedId, options) => changed(`/queue/${queuedId}/promote`, options),
    interrupt: (options) => changed('/interrupt', options),
    compact: (options) => changed('/compact', options),
    submitToolResults: (results, { signal, idempotencyKey = randomKey() } = {}) =>
      here('POST', '/tool-results', chatViewSchema, { body: { results }, signal, idempotencyKey }),
    request: (requestId, { waitSeconds = 0, signal } = {}) =>
      here(
        'GET',
        `/requests/${encodeURIComponent(requestId)}${toQuery({ wait: waitSeconds })}`,
        receiptSchema,
        { signal },
      ),
  };
}

function chatBody({ model, title, systemPrompt, tools }: ClientChatOptions): object {
  return {
    ...(model !== undefined && { model }),
    ...(title !== undefined && { title }),
    ...(systemPrompt !== undefined && { system_prompt: systemPrompt }),
    ...(tools !== undefined && { tools: describeTools(tools) }),
  };
}

/** Writes what is defined as a query. */
export function toQuery(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const defined = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return defined.length === 0 ? '' : `?${defined.join('&')}`;
}
