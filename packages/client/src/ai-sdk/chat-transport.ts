/** Transport of the AI SDK's `useChat` to the chats of a Truecast server. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { ChatTransport } from 'ai';
import type { ClientChat, ClientChatOptions } from '../client-chat.ts';
import type { ClientTools } from '../client-tools.ts';
import type { Client } from '../create-client.ts';
import {
  resumeUIMessageStream,
  uiMessageStream,
  type TruecastStream,
  type UIMessageStreamOptions,
} from './ui-message-stream.ts';
import { type InferPageTools, type PageTools, type TruecastUIMessage, toClientId } from './ui-message.ts';
import type { AnswerOf } from './requested-answer.ts';

/** Options of a transport. Model, title, labels, system prompt and tools are those of new chats. */
export interface ChatTransportOptions<TDefinition extends AnyOutputDefinition, TTools extends PageTools>
  extends
    Omit<ClientChatOptions, 'id' | 'clientId' | 'tools'>,
    Omit<UIMessageStreamOptions<TDefinition>, 'signal'> {
  /** Tools that the page runs. */
  readonly tools?: TTools;
}

/**
 * Creates a transport for `useChat`. Sends nothing.
 *
 * The id of `useChat` is the client id of a chat, which the first message creates, or the id of a chat
 * on the server. `stop()` ends the turn on the server, unless
 * `stopEndsTurn` is false.
 *
 * The page has the client's token, which opens all chats of the owner. Where users are not the
 * owner, call `uiMessageStream()` in a route handler instead.
 *
 * @throws UsageError if `output` is text
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const transport = createChatTransport(client, {
 *   output: Output.object({ schema: z.object({ file: z.string(), line: z.number() }) }),
 * });
 * // In a component: const { messages, sendMessage, stop } = useChat({ transport });
 * ```
 * @public
 */
export function createChatTransport<
  TDefinition extends AnyOutputDefinition = never,
  TTools extends PageTools = PageTools,
>(
  client: Client,
  options: ChatTransportOptions<TDefinition, TTools> = {},
): ChatTransport<TruecastUIMessage<AnswerOf<TDefinition>, InferPageTools<TTools>>> {
  assertClient(client);
  assertKind(options, 'an object', 'options', 'Pass `{ output, tools }`, or leave it out.');
  if (options.tools !== undefined) {
    assertKind(options.tools, 'an object', 'tools', 'Write `{ name: tool }`, or leave it out.');
  }
  const chats = new TransportChats(client, options);
  return {
    resumeStreamIsReplay: true,
    async sendMessages({ trigger, chatId, messageId, messages, abortSignal }) {
      const last = messages.at(-1);
      if (last === undefined) throw new UsageError('Expected a message, got an empty list. Send one.');
      const isFirst = trigger === 'submit-message' && messages.length === 1;
      const send = (chat: ClientChat): Promise<TruecastStream<TDefinition>> =>
        uiMessageStream<TDefinition>(chat, last, {
          ...options,
          replaces: trigger === 'regenerate-message' || (last.role === 'user' && messageId !== undefined),
          ...(abortSignal !== undefined && { signal: abortSignal }),
        });
      if (!isFirst || chats.has(chatId)) return send(await chats.open(chatId));
      // Creating a chat without looking for it saves two requests.
      return send(chats.create(chatId)).catch(async (error: unknown) => {
        if (!ServerError.isInstance(error) || error.problem?.code !== 'client_id_taken') throw error;
        chats.forget(chatId);
        return send(await chats.open(chatId));
      });
    },
    async reconnectToStream({ chatId, abortSignal }) {
      const chat = await chats.open(chatId);
      if (chat.id === undefined) return null;
      return resumeUIMessageStream<TDefinition>(chat, {
        ...options,
        ...(abortSignal !== undefined && { signal: abortSignal }),
      });
    },
  };
}

function assertClient(client: Client): void {
  assertKind(client, 'an object', 'client', 'Pass the result of `createClient()`.');
  assertKind(client.chat, 'a function', 'client.chat', 'Pass the result of `createClient()`.');
}

/** The chats of a transport, by their ids in the page. */
class TransportChats {
  readonly #client: Client;
  readonly #settings: ClientChatOptions;
  readonly #chats = new Map<string, ClientChat>();

  constructor(
    client: Client,
    { model, title, labels, systemPrompt, tools }: ChatTransportOptions<AnyOutputDefinition, PageTools>,
  ) {
    this.#client = client;
    this.#settings = {
      ...(model !== undefined && { model }),
      ...(title !== undefined && { title }),
      ...(labels !== undefined && { labels }),
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(tools !== undefined && { tools: describedTools(tools) }),
    };
  }

  has(chatId: string): boolean {
    return this.#chats.has(chatId);
  }

  create(chatId: string): ClientChat {
    const chat = this.#client.chat({ ...this.#settings, clientId: toClientId(chatId) });
    this.#chats.set(chatId, chat);
    return chat;
  }

  forget(chatId: string): void {
    this.#chats.delete(chatId);
  }

  /** Returns the chat that a page created with the id, or the one with the server's id, or a new one. */
  async open(chatId: string): Promise<ClientChat> {
    const known = this.#chats.get(chatId);
    if (known !== undefined) return known;
    const found = (await this.#find(`~${toClientId(chatId)}`)) ?? (await this.#find(chatId));
    // Another call can have opened it.
    const opened = this.#chats.get(chatId) ?? found;
    if (opened === undefined) return this.create(chatId);
    this.#chats.set(chatId, opened);
    return opened;
  }

  async #find(address: string): Promise<ClientChat | undefined> {
    try {
      const { id } = await this.#client.chat({ id: address }).read();
      return this.#client.chat({ id });
    } catch (error) {
      if (ServerError.isInstance(error) && error.problem?.code === 'chat_not_found') return undefined;
      throw error;
    }
  }
}

/** `useChat` runs the tools, in its `onToolCall`. */
function describedTools(tools: PageTools): ClientTools {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, { ...tool, execute: () => undefined }]),
  );
}
