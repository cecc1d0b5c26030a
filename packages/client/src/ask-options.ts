/** Questions to a chat and their answers. */
import type {
  AnyOutputDefinition,
  DeepPartial,
  InferOutput,
} from '@truecast/core/internal/output/definition/definition';
import type { InputPart } from './wire/message-parts.ts';
import type { Receipt } from './wire/receipt.ts';
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
