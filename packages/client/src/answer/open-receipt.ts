/** Typed value of a final receipt. */
import {
  RequestEndedError,
  type RequestEndedErrorCode,
} from '@truecast/core/internal/errors/request-ended-error';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { mismatchError, validatorError } from '@truecast/core/internal/output/definition/answer-errors';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import { showPath } from '@truecast/core/internal/json/show-path';
import { validateValue, type KnownElements } from '@truecast/core/internal/output/judge/validate-value';
import { findInexact, type InexactPart } from '@truecast/core/internal/json/text/find-inexact';
import type { Receipt } from '../wire/receipt.ts';

const FINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled']);

/** Returns true if the receipt can change no more. With a status of a newer server, its end decides. */
export function isFinal({ status, ended_at }: Receipt): boolean {
  return FINAL.has(status) || (ended_at !== undefined && status !== 'queued' && status !== 'running');
}

/** The definition that the value was requested with. */
export interface Opening<TDefinition extends AnyOutputDefinition> {
  readonly chatId: string;
  readonly output: TDefinition;
  readonly inverse: (value: unknown) => unknown;
  readonly acceptsRounding: boolean;
  /** Elements that were validated before. @default none */
  readonly known?: KnownElements | undefined;
}

/** A value of a receipt, and its text with exact numbers. */
type Sealed = Pick<Receipt, 'value' | 'value_text'>;

/**
 * Returns the value of a receipt, validated by the caller's schema.
 *
 * @throws RequestEndedError, StructuredOutputError
 */
export async function openReceipt<TDefinition extends AnyOutputDefinition>(
  receipt: Receipt,
  { chatId, ...opening }: Opening<TDefinition>,
): Promise<InferOutput<TDefinition>> {
  const { error, request_id: requestId } = receipt;
  if (receipt.status !== 'succeeded') {
    throw new RequestEndedError(error?.message ?? 'The request ended without an answer. Read its receipt.', {
      // The error has the code of the receipt, with hyphens.
      code: (error?.code ?? 'generation_failed').replaceAll('_', '-') as RequestEndedErrorCode,
      chatId,
      requestId,
      receipt,
      ...(error?.reason !== undefined && { reason: error.reason }),
    });
  }
  return openValue(receipt, opening);
}

/**
 * Returns a sealed value, validated by the caller's schema.
 *
 * @throws StructuredOutputError
 */
export async function openValue<TDefinition extends AnyOutputDefinition>(
  { value, value_text: raw = '' }: Sealed,
  { output, inverse, acceptsRounding, known }: Omit<Opening<TDefinition>, 'chatId'>,
): Promise<InferOutput<TDefinition>> {
  const part = findInexact(raw, value);
  const isAccepted = part === undefined || (part.kind === 'integer' && acceptsRounding);
  if (!isAccepted) throw refuseRounding(raw, part);
  const verdict = await validateValue(inverse(value), output, known);
  if (verdict.type === 'rejected') throw mismatchError(output, { raw, ...verdict });
  if (verdict.type === 'failed') throw validatorError(output, { raw, ...verdict });
  // The definition's own schema has accepted the value.
  return verdict.value as InferOutput<TDefinition>;
}

/** The server validated the answer with every digit. Only JavaScript cannot hold it. */
function refuseRounding(raw: string, { path, message }: InexactPart): StructuredOutputError {
  const issues = [{ path, message }];
  return new StructuredOutputError(
    `The answer is valid on the server, but JavaScript cannot represent it exactly at ${showPath(path)}: ${message}. Use a string in the schema, or set \`acceptsRounding\` and read \`receipt.value_text\`.`,
    { code: 'schema-mismatch', rawMatched: raw, issues, cause: issues },
  );
}
