/** Client-side chat: created by its first message, or opened by id. */
import { checkedCalls } from './calls/checked-calls.ts';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { askChat, toAskPromise, type FeedOfLoop } from './ask-chat.ts';
import { nothing, type Shape } from '@truecast/core/internal/shape/shape';
import { followChat } from './chat-events.ts';
import type { StopOptions } from './calls/call-options.ts';
import type { AskOptions, AskResult, ClientChat, ClientChatOptions } from './client-chat.ts';
import { describeTools } from './client-tools.ts';
import { randomKey, callServer, type CallOptions, type Connection } from './calls/http-caller.ts';
import { toQuery } from './calls/to-query.ts';
import { chatView, createdChatView } from './wire/chat.ts';
import { editedView, messagePageView, queueView, sentView } from './wire/message.ts';
import { receipt } from './wire/receipt.ts';
import type { ChatView } from './wire/chat.ts';

type Caller = <T>(
  method: CallOptions<T>['method'],
  path: string,
  shape: Shape<T>,
  rest?: Pick<CallOptions<T>, 'body' | 'signal' | 'idempotencyKey'>,
) => Promise<T>;

const CHAT_OPTIONS: OptionNames<ClientChatOptions> = {
  id: true,
  clientId: true,
  model: true,
  title: true,
  labels: true,
  systemPrompt: true,
  tools: true,
};

/** Words of the AI SDK. */
const MOVED = { system: 'systemPrompt', instructions: 'systemPrompt' };

/** Creates the chat object without sending anything. */
export function openClientChat(connection: Connection, options: ClientChatOptions): ClientChat {
  assertKnownOptions(options, { of: '`chat()`', names: CHAT_OPTIONS, moved: MOVED });
  let id = options.id;
  const here: Caller = (method, path, shape, rest = {}) =>
    callServer(connection, {
      method,
      path: `/api/chats/${encodeURIComponent(idOf())}${path}`,
      shape,
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
      const sent = await here('POST', '/messages', sentView, { body: message, ...rest });
      return { ...sent, chatId: id };
    }
    const { client_id: message_client_id, ...first } = message;
    const body = { ...first, message_client_id, ...chatBody(options), busy_behavior: undefined };
    const made = {
      method: 'POST',
      path: '/api/chats',
      shape: createdChatView,
      body,
      ...rest,
    } as const;
    const { chat, ...sent } = await callServer(connection, made);
    id = chat.id;
    return { ...sent, chatId: id };
  };
  const { ask, ...calls } = checkedCalls<CheckedCalls>({
    send,
    ask: (asked, elements) => askChat(chat, options.tools ?? {}, asked, elements),
    events: (follow = {}) => followChat(connection, idOf(), follow),
    ...chatCalls(here),
  });
  const chat: ClientChat = {
    get id() {
      return id;
    },
    ...calls,
    ask: (asked) => toAskPromise(asked, ask),
  };
  return chat;
}

interface CheckedCalls extends Omit<ClientChat, 'id' | 'ask'> {
  ask<TDefinition extends AnyOutputDefinition>(
    options: AskOptions<TDefinition>,
    elements: FeedOfLoop,
  ): Promise<AskResult<InferOutput<TDefinition>>>;
}

type Calls = Omit<ClientChat, 'id' | 'send' | 'ask' | 'events'>;

function chatCalls(here: Caller): Calls {
  const changed = (path: string, { signal }: StopOptions = {}): Promise<ChatView> =>
    here('POST', path, chatView, { signal });
  return {
    edit: (messageId, body, { signal } = {}) =>
      here('PATCH', `/messages/${messageId}`, editedView, { body, signal }),
    read: ({ signal } = {}) => here('GET', '', chatView, { signal }),
    messages: ({ signal, ...page } = {}) =>
      here('GET', `/messages${toQuery(page)}`, messagePageView, { signal }),
    queue: ({ signal } = {}) => here('GET', '/queue', queueView, { signal }),
    deleteQueued: (queuedId, { signal } = {}) => here('DELETE', `/queue/${queuedId}`, nothing, { signal }),
    promoteQueued: (queuedId, options) => changed(`/queue/${queuedId}/promote`, options),
    interrupt: (options) => changed('/interrupt', options),
    compact: (options) => changed('/compact', options),
    submitToolResults: (results, { signal, idempotencyKey = randomKey() } = {}) =>
      here('POST', '/tool_results', chatView, { body: { results }, signal, idempotencyKey }),
    request: (requestId, { waitMs = 0, signal } = {}) =>
      here(
        'GET',
        `/requests/${encodeURIComponent(requestId)}${toQuery({ wait: Math.ceil(waitMs / 1_000) })}`,
        receipt,
        { signal },
      ),
  };
}

/** Members that are undefined are not sent. */
function chatBody({ clientId, model, title, labels, systemPrompt, tools }: ClientChatOptions): object {
  return {
    client_id: clientId,
    model,
    title,
    labels,
    system_prompt: systemPrompt,
    tools: tools && describeTools(tools),
  };
}
