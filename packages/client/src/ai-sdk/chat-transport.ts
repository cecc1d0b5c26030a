/** Transport of the AI SDK's `useChat` to the chats of a Truecast server. */
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { ChatTransport } from 'ai';
import type { ClientChat, ClientChatOptions } from '../client-chat.ts';
import type { ClientTools } from '../client-tools.ts';
import type { Client } from '../create-client.ts';
import { resumeUIMessageStream, startTurn, type UIMessageStreamOptions } from './ui-message-stream.ts';
import type { InferPageTools, PageTools } from './page-tools.ts';
import type { AnswerOf } from './requested-answer.ts';
import { rowIdOf, userMessageId } from './ui-ids.ts';
import type { TruecastUIMessage } from './ui-message.ts';

/** Options of a transport. Model, title, system prompt and tools are those of new chats. */
export interface ChatTransportOptions<TDefinition extends AnyOutputDefinition, TTools extends PageTools>
  extends Omit<ClientChatOptions, 'id' | 'tools'>, Omit<UIMessageStreamOptions<TDefinition>, 'signal'> {
  /** Tools that the page runs. */
  readonly tools?: TTools;
}

/**
 * Creates a transport for `useChat`. Sends nothing.
 *
 * The id of `useChat` is the id of a chat on the server. With another id, the first message creates
 * a chat, whose id is in the `metadata` of its answer. `stop()` ends the turn on the server, unless
 * `stopEndsTurn` is false.
 *
 * The page has the client's token, which opens all chats of its owner. Where users are not the
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
 */
export function createChatTransport<
  TDefinition extends AnyOutputDefinition = never,
  TTools extends PageTools = PageTools,
>(
  client: Client,
  options: ChatTransportOptions<TDefinition, TTools> = {},
): ChatTransport<TruecastUIMessage<AnswerOf<TDefinition>, InferPageTools<TTools>>> {
  const chats = new TransportChats(client, options);
  return {
    resumeStreamIsReplay: true,
    async sendMessages({ trigger, chatId, messageId, messages, abortSignal }) {
      const last = messages.at(-1);
      if (last === undefined) throw new UsageError('Expected a message, got an empty list. Send one.');
      const chat = await chats.open(chatId);
      const replaces = trigger === 'regenerate-message' || (last.role === 'user' && messageId !== undefined);
      const rowId = chats.rowOf(chatId, last.id);
      return startTurn<TDefinition>(
        chat,
        rowId === undefined ? last : { ...last, id: userMessageId(rowId) },
        {
          ...options,
          // A message that never arrived is sent.
          replaces: replaces && (rowId !== undefined || rowIdOf(last.id) !== undefined),
          onRow: (row) => chats.keepRow(chatId, last.id, row),
          ...(abortSignal !== undefined && { signal: abortSignal }),
        },
      );
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

/** The chats of a transport, and the rows of the messages that it sent. */
class TransportChats {
  readonly #client: Client;
  readonly #settings: ClientChatOptions;
  readonly #chats = new Map<string, ClientChat>();
  readonly #rows = new Map<string, number>();

  constructor(
    client: Client,
    { model, title, systemPrompt, tools }: ChatTransportOptions<AnyOutputDefinition, PageTools>,
  ) {
    this.#client = client;
    this.#settings = {
      ...(model !== undefined && { model }),
      ...(title !== undefined && { title }),
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(tools !== undefined && { tools: describedTools(tools) }),
    };
  }

  async open(chatId: string): Promise<ClientChat> {
    const known = this.#chats.get(chatId);
    if (known !== undefined) return known;
    const chat = (await this.#existing(chatId)) ?? this.#client.chat(this.#settings);
    // Another call can have opened it meanwhile.
    const opened = this.#chats.get(chatId) ?? chat;
    this.#chats.set(chatId, opened);
    return opened;
  }

  rowOf(chatId: string, messageId: string): number | undefined {
    return this.#rows.get(JSON.stringify([chatId, messageId]));
  }

  keepRow(chatId: string, messageId: string, row: number): void {
    this.#rows.set(JSON.stringify([chatId, messageId]), row);
  }

  async #existing(chatId: string): Promise<ClientChat | undefined> {
    const chat = this.#client.chat({ id: chatId });
    try {
      await chat.read();
      return chat;
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
