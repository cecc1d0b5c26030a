/** Types of the AI SDK's messages and chunks that a Truecast chat produces. */
import type { UIMessage, UIMessageChunk, UITools } from 'ai';
import type { Receipt } from '../wire/receipt.ts';
import type { RetryEvent } from '../wire/stream-event.ts';

/** Metadata of an assistant's message. */
export interface TruecastMetadata {
  /** Id of the chat on the server. */
  readonly chatId?: string;
  /** Ids of the tool calls that the chat waits for. Empty after the turn. */
  readonly awaiting?: readonly string[];
  /** Position in the chat's events at which the message ends. */
  readonly cursor?: string;
}

/** A final receipt. The client's schema accepted its value. */
export type TypedReceipt<TOutput> = Omit<Receipt, 'value'> & { readonly value?: TOutput };

interface DataParts<TOutput> {
  /** The growing value, not validated. It disappears with its attempt. */
  readonly partial: unknown;
  readonly receipt: TypedReceipt<TOutput>;
  /** Transient: only `onData` receives it. */
  readonly retry: RetryEvent;
}

/** Data parts of an assistant's message. An interface has no index signature, which `UIMessage` requires. */
export type TruecastData<TOutput = unknown> = Pick<DataParts<TOutput>, keyof DataParts<TOutput>>;

/**
 * A message of `useChat` with a Truecast transport.
 *
 * @example
 * ```ts
 * type Message = TruecastUIMessage<
 *   { file: string; line: number },
 *   { look: { input: { path: string }; output: string } }
 * >;
 * ```
 */
export type TruecastUIMessage<TOutput = unknown, TTools extends UITools = UITools> = UIMessage<
  TruecastMetadata,
  TruecastData<TOutput>,
  TTools
>;

/** A chunk of such a message. */
export type TruecastChunk<TOutput = unknown> = UIMessageChunk<TruecastMetadata, TruecastData<TOutput>>;
