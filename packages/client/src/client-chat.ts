/** Client-side interface of a chat, its questions and their answers. */
import type {
  AnyOutputDefinition,
  InferOutput,
  DeepPartial,
} from '@truecast/core/internal/output/definition/definition';
import type { ElementOf } from '@truecast/core/internal/output/validate/element-loop';
import type { ChatLabels, ChatView } from './wire/chat.ts';
import type {
  EditedView,
  EditMessageBody,
  MessagePageView,
  QueueView,
  SendMessageBody,
  SentView,
  ToolResultsBody,
} from './wire/message.ts';
import type { Receipt } from './wire/receipt.ts';
import type { RequestOptions, StopOptions } from './calls/call-options.ts';
import type { FollowOptions, ReceivedEvent } from './chat-events.ts';
import type { ClientTools } from './client-tools.ts';
import type { RefusedAttempt } from './refused-attempts.ts';
import type { InputPart } from './wire/message-parts.ts';
import type { RequestLimitsBody } from './wire/response-format.ts';
import type { ChatStreamEvent } from './wire/stream-event.ts';

/** A question and the contract of the answer. */
export interface AskOptions<TDefinition extends AnyOutputDefinition> {
  readonly prompt: string | readonly InputPart[];
  /** Any output except `Output.string()`. */
  readonly output: TDefinition;
  /** Name of the answer, shown to the model. @default 'answer' */
  readonly name?: string;
  readonly description?: string;
  readonly limits?: RequestLimitsBody;
  /** @default 'queue' */
  readonly busyBehavior?: 'queue' | 'interrupt';
  readonly signal?: AbortSignal;
  /** Called with every event of the chat until the answer arrives. */
  readonly onEvent?: (event: ChatStreamEvent) => void;
  /** Called with the growing, unvalidated value: a new one each time. */
  onPartial?(value: DeepPartial<InferOutput<TDefinition>>): void;
  /** Called with each attempt that the server refused, before the model answers again. */
  onAttempt?(attempt: RefusedAttempt<InferOutput<TDefinition>>): void;
  /**
   * Accepts an answer with an integer above 2^53 that a JavaScript number rounds. `output` then holds
   * the rounded number, and `receipt.value_text` every digit. @default false: the answer is refused
   */
  readonly acceptsRounding?: boolean;
}

/** A valid answer. */
export interface AskResult<TOutput> {
  readonly output: TOutput;
  readonly receipt: Receipt;
  readonly chatId: string;
  readonly requestId: string;
}

/** The answer that is waited for, and its elements. */
export interface AskPromise<TOutput> extends Promise<AskResult<TOutput>> {
  /**
   * Elements of `Output.array()` for one loop, each as soon as it is complete and valid. After an end
   * without an error, the loop has given exactly `output`. To leave it early
   * stops waiting, and the turn continues.
   *
   * Begin the loop in the same tick as the call. A later one gets its elements at the end.
   *
   * @throws StructuredOutputError `restarted` if a correction changes an element that was given. The promise
   *   still resolves.
   */
  readonly elements: AsyncIterable<ElementOf<TOutput>>;
}

/** An existing chat, or the settings of a new one. */
export interface ClientChatOptions {
  /** Id of an existing chat. @default a new chat, created by its first message */
  readonly id?: string;
  /** Own id of a new chat: 1 to 128 visible ASCII characters. `~CLIENT_ID` is its `id`. */
  readonly clientId?: string;
  /** @default the server's default model */
  readonly model?: string;
  readonly title?: string;
  /** Labels of a new chat, by which its owner's lists find it. */
  readonly labels?: ChatLabels;
  readonly systemPrompt?: string;
  /**
   * Tools that run here when the model calls them, while `ask()` waits. For an existing chat, pass
   * the tools it was created with.
   */
  readonly tools?: ClientTools;
}

/** Position of a message that this client sent. */
export interface Sent extends SentView {
  readonly chatId: string;
}

/** A chat. Every method rejects with `ServerError` if the server refuses. */
export interface ClientChat {
  /** Undefined until the first message was sent. */
  readonly id: string | undefined;
  /**
   * Sends a message, waits for its turn, and returns the answer, validated by the server and again
   * here.
   */
  ask<TDefinition extends AnyOutputDefinition>(
    options: AskOptions<TDefinition>,
  ): AskPromise<InferOutput<TDefinition>>;
  /** Sends a message without waiting for its turn. */
  send(message: SendMessageBody, options?: RequestOptions): Promise<Sent>;
  /** Replaces a message, by its id or `~CLIENT_ID`, and everything after it. */
  edit(
    messageId: number | `~${string}`,
    message: EditMessageBody,
    options?: RequestOptions,
  ): Promise<EditedView>;
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
  /**
   * Reads a receipt. With `waitMs` the server waits until it is final, or for that time (long
   * polling).
   */
  request(requestId: string, options?: StopOptions & { readonly waitMs?: number }): Promise<Receipt>;
  /** Follows the chat until the caller stops. Lost connections are reopened. */
  events(options?: FollowOptions): AsyncGenerator<ReceivedEvent, void, undefined>;
}
