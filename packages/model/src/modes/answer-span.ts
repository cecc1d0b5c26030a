/** Span of `generate()`, around all attempts of an answer. Codes and counts only, no content. */
import { type SpanAttributes, type SpanStart, usageAttributes } from '../telemetry/tracing.ts';
import type { Conversation } from './conversation.ts';
import { codeOf, type GenerateEnding } from './record-outcome.ts';

/** The span of an answer. Its parent is the program's active span. */
export const ANSWER_SPAN: SpanStart = { name: 'truecast.generate', kind: 'internal', attributes: {} };

/** Describes the end of an answer. */
export function answerAttributes(
  { mode }: Conversation,
  { attempts, usage, error }: GenerateEnding,
): SpanAttributes {
  return {
    'truecast.mode': mode?.name,
    'truecast.attempts': attempts.length,
    'truecast.code': error === undefined ? undefined : codeOf(error),
    ...usageAttributes(usage),
  };
}
