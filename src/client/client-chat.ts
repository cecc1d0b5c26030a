/** Owns what a chat is to whoever holds it as a client. */
import type { AnyOutputDefinition, InferOutput } from '../output/definition.ts';
import type { Receipt } from '../server/contract/receipt.ts';
import type { ChatView } from '../server/contract/wire/chat-wire.ts';
import type {
  EditedView,
  MessageBody,
  MessagePageView,
  QueueView,
  SendMessageBody,
  SentView,
  ToolResultsBody,
} from '../server/contract/wire/message-wire.ts';
import type { AskOptions, AskResult } from './ask-options.ts';
import type { FollowOptions, ReceivedEvent } from './chat-events.ts';
import type { ClientTools } from './client-tools.ts';

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
