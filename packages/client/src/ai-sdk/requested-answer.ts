/** The answer that a turn must have: its response format, and the typed value of the chunks. */
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { toAnswerFormat } from '../answer/answer-format.ts';
import { openReceipt } from '../answer/open-receipt.ts';
import { openAttempt, type RefusedAttempt } from '../refused-attempts.ts';
import type { MessageBody } from '../wire/message.ts';
import type { RequestLimitsBody } from '../wire/response-format.ts';
import type { TruecastChunk } from './ui-message.ts';

/** Type of an answer. Without a definition, another page can have requested one. */
export type AnswerOf<TDefinition extends AnyOutputDefinition> = [TDefinition] extends [never]
  ? unknown
  : InferOutput<TDefinition>;

export interface RequestOfTurn<TDefinition extends AnyOutputDefinition = never> {
  /** The answer to request. `data-receipt` has its value. @default an ordinary turn */
  readonly output?: TDefinition;
  /** Name of the answer, shown to the model. @default 'answer' */
  readonly name?: string;
  readonly description?: string;
  readonly limits?: RequestLimitsBody;
}

export interface RequestedAnswer {
  readonly body: Pick<MessageBody, 'response_format' | 'limits'>;
  /** Unwraps a growing value. Validates the value of a receipt with the caller's schema. */
  readonly open: (chunk: TruecastChunk, chatId: string) => Promise<TruecastChunk>;
  /** Unwraps a refused attempt. */
  readonly openAttempt: (attempt: RefusedAttempt<unknown>) => RefusedAttempt<unknown>;
}

/** Prepares the answer. @throws UsageError if the output has no JSON Schema */
export function requestedAnswer({
  output,
  limits,
  ...names
}: RequestOfTurn<AnyOutputDefinition>): RequestedAnswer | undefined {
  if (output === undefined) return undefined;
  const { format, ...form } = toAnswerFormat({ output, ...names });
  const { inverse } = form;
  return {
    body: { response_format: format, ...(limits !== undefined && { limits }) },
    openAttempt: (attempt) => openAttempt(attempt, form),
    async open(chunk, chatId) {
      if (chunk.type === 'data-partial') return { ...chunk, data: inverse(chunk.data) };
      if (chunk.type === 'data-refused') return { ...chunk, data: openAttempt(chunk.data, form) };
      if (chunk.type !== 'data-receipt' || chunk.data.status !== 'succeeded') return chunk;
      try {
        // It came from a receipt of the wire.
        const receipt = { ...chunk.data, value: chunk.data.value as JsonValue };
        const value = await openReceipt(receipt, { chatId, output, inverse, acceptsRounding: false });
        return { ...chunk, data: { ...chunk.data, value } };
      } catch (error) {
        // The server accepted the value, and the caller's schema did not.
        return { type: 'error', errorText: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}
