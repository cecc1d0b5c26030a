/** Owns what a chat is asked, and what it answers. */
import type { AnyOutputDefinition } from '../output/definition.ts';
import type { InputPart } from '../server/contract/parts.ts';
import type { Receipt } from '../server/contract/receipt.ts';
import type { RequestLimitsBody } from '../server/contract/wire/format-wire.ts';
import type { ChatStreamEvent } from '../server/contract/wire/stream-wire.ts';

/** A question, and what its answer must be. */
export interface AskOptions<TDefinition extends AnyOutputDefinition> {
  readonly message: string | readonly InputPart[];
  /** Any but `Output.string()`. */
  readonly output: TDefinition;
  /** What the answer is called towards the model. @default 'answer' */
  readonly name?: string;
  readonly description?: string;
  readonly limits?: RequestLimitsBody;
  /** @default 'queue' */
  readonly busyBehavior?: 'queue' | 'interrupt';
  readonly signal?: AbortSignal;
  /** Is told of everything that happens in the chat meanwhile. */
  readonly onEvent?: (event: ChatStreamEvent) => void;
  /** Is told of the value so far, which nothing has validated. */
  readonly onPartial?: (value: unknown) => void;
}

/** A valid answer. */
export interface AskResult<TOutput> {
  readonly value: TOutput;
  readonly receipt: Receipt;
  readonly chatId: string;
  readonly requestId: string;
}
