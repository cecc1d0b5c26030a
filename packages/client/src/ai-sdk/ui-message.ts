/** Messages and chunks of the AI SDK that a Truecast chat produces: their types and ids, and page tools. */
import type { UIMessage, UIMessageChunk, UITools } from 'ai';
import type { RefusedAttempt } from '../refused-attempts.ts';
import type { Receipt } from '../wire/receipt.ts';
import type { RetryEvent } from '../wire/stream-event.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { MessageView } from '../wire/message.ts';

/** A tool that the page runs, in `onToolCall`. A `tool()` is one too. */
export interface PageTool {
  readonly description?: string;
  readonly inputSchema: StandardSchemaV1;
}

/** Tools by name. */
export type PageTools = Readonly<Record<string, PageTool>>;

/** Types of tools for `TruecastUIMessage`. */
export type InferPageTools<TTools extends PageTools> = {
  readonly [TName in keyof TTools & string]: {
    input: StandardSchemaV1.InferOutput<TTools[TName]['inputSchema']>;
    output: unknown;
  };
};

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
  /** A refused attempt. The next one follows in the same message. */
  readonly refused: RefusedAttempt<TOutput>;
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

/** Returns the id of a user's message: the one that its page chose, or one of the row. */
export function userMessageId({ id, client_id }: MessageView): string {
  return client_id ?? `user-${id}`;
}

/** Returns an id that the server accepts: at most 128 visible ASCII characters. */
export function toClientId(id: string): string {
  return encodeURIComponent(id).slice(0, 128);
}

export function answerMessageId(userRowId: number): string {
  return `answer-${userRowId}`;
}

/** A refused attempt, as a chunk and as a part. */
interface RefusedPart {
  readonly type: 'data-refused';
  readonly id: string;
  readonly data: RefusedAttempt<unknown>;
}

/** Returns the part of the message that has the refusal. Empty without an attempt. */
export function refusedParts(
  { id }: Pick<MessageView, 'id'>,
  data: RefusedAttempt<unknown> | undefined,
): RefusedPart[] {
  return data === undefined ? [] : [{ type: 'data-refused', id: `refused-${id}`, data }];
}

/** Returns the address of a user's message in a path. */
export function addressOf(id: string): number | `~${string}` {
  const digits = /^user-(\d{1,15})$/u.exec(id)?.[1];
  return digits === undefined ? `~${encodeURIComponent(toClientId(id))}` : Number(digits);
}
