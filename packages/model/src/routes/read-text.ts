/** Text reader of the routes: refuses incomplete replies, then reads strictly, then leniently. */
import {
  notProducedError,
  tooLargeError,
  truncatedError,
} from '@truecast/core/internal/output/definition/answer-errors';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/safe-extract-result';
import { isLongerThan } from '@truecast/core/internal/output/json/utf8-length';
import { safeParseAnswer, type AnswerOrigin } from '@truecast/core/internal/output/validate/validate-answer';
import type { GenerateModel } from '../call/generate-options.ts';
import { isWithheld, saidIn, type ModelReply } from '../call/model-reply.ts';
import { readLeniently, type LenientReader } from './lenient-text.ts';

/** Maximum size of an answer in UTF-8 bytes, unless the definition sets one. */
const DEFAULT_MAX_PAYLOAD_BYTES: number = 16 * 1024 * 1024;

/** The answer and the model that a route serves. */
export interface RouteTarget {
  readonly output: AnyOutputDefinition;
  readonly model: GenerateModel;
  /** Reads text that is not an answer as a whole. Undefined if answers are strict. */
  readonly lenient?: LenientReader | undefined;
  /** True if the service can be asked for JSON without a schema. */
  readonly hasJsonMode?: boolean;
}

/** Reads a text: as a whole, then leniently if the caller allows it. */
export async function readText(
  text: string,
  { output, lenient }: RouteTarget,
  origin: AnswerOrigin,
): Promise<SafeExtractResult<unknown>> {
  const strict = await safeParseAnswer(text, output, origin);
  if (strict.success || lenient === undefined || strict.error.code === 'validator-error') return strict;
  return (await readLeniently(text, output, { origin, reader: lenient })) ?? strict;
}

/** Repair of an answer that came as text, from a model that was asked to call a tool. */
export const ANSWER_IN_TEXT = 'answer-in-text';

/** A server that ignores tools passes on the model's text. */
export async function readMisplaced(text: string, target: RouteTarget): Promise<SafeExtractResult<unknown>> {
  const noCall = { success: false, error: notProducedError(target.output, NO_CALL) } as const;
  if (text.trim() === '') return noCall;
  const read = await readText(text, target, {
    route: 'tool',
    repairs: [{ kind: ANSWER_IN_TEXT, path: [] }],
  });
  return read.success || read.error.code === 'schema-mismatch' ? read : noCall;
}

const NO_CALL = {
  message:
    'Expected the model to call the tool that receives its answer, got no call, and its text is not the answer either. Set `maxRetries`, or try another `route`.',
};

/** Checks common to all routes: a truncated, filtered or oversized reply is not an answer. */
export function guarded(
  output: AnyOutputDefinition,
  read: (reply: ModelReply) => Promise<SafeExtractResult<unknown>>,
): (reply: ModelReply) => Promise<SafeExtractResult<unknown>> {
  return async (reply) => {
    const said = saidIn(reply) ?? '';
    if (isWithheld(reply)) return { success: false, error: notProducedError(output, WITHHELD) };
    if (reply.finishReason === 'length') return { success: false, error: truncatedError(output, said) };
    const limit = output.maxPayloadBytes ?? DEFAULT_MAX_PAYLOAD_BYTES;
    if (output.tag === undefined && isLongerThan(said, limit))
      return { success: false, error: tooLargeError(output, limit) };
    return read(reply);
  };
}

const WITHHELD = {
  message:
    'Expected an answer from the model, got a refusal: its service withheld the reply. Change the prompt, or try another model.',
};
