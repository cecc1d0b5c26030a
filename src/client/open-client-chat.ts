/** Client-side chat: created by its first message, or opened by id. */
import { z } from 'zod';
import { UsageError } from '../errors/usage-error.ts';
import { receiptSchema } from '../server/contract/receipt.ts';
import { chatViewSchema, createdChatViewSchema } from '../server/contract/wire/chat-wire.ts';
import {
  editedViewSchema,
  messagePageViewSchema,
  queueViewSchema,
  sentViewSchema,
} from '../server/contract/wire/message-wire.ts';
import type { WireSchema } from '../server/contract/wire-schema.ts';
import { askChat } from './ask-chat.ts';
import { followChat } from './chat-events.ts';
import type { ClientChat, ClientChatOptions, StopOptions } from './client-chat.ts';
import { describeTools } from './client-tools.ts';
import { randomKey } from './delay.ts';
import { callServer, type CallOptions, type Connection } from './http-caller.ts';
import type { ChatView } from './wire/chat.ts';

type Caller = <T>(
  method: CallOptions<T>['method'],
  path: string,
  schema: WireSchema<T>,
  rest?: Pick<CallOptions<T>, 'body' | 'signal' | 'idempotencyKey'>,
) => Promise<T>;

const nothing = z.undefined().transform(() => undefined);

/** Creates the chat object without sending anything. */
export function openClientChat(connection: Connection, options: ClientChatOptions): ClientChat {
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
      'Expected the chat to exist, but no message was sent yet. Send a message first, or pass `id`.',
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

/** Renders defined values as a query string. */
export function toQuery(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const defined = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return defined.length === 0 ? '' : `?${defined.join('&')}`;
}
