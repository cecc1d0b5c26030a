/**
 * Spans of `generate()`: one around all attempts of an answer, and one for each model call. Codes
 * and counts only, no content.
 */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import type { GenerateModel } from '../call/generate-options.ts';
import type { ModelReply } from '../call/model-reply.ts';
import type { SpanAttributes, SpanStart } from '../telemetry/tracing.ts';
import { usageAttributes } from '../telemetry/usage-attributes.ts';
import type { Conversation } from './conversation.ts';
import type { GenerateEnding } from './record-outcome.ts';

/** The span of an answer. Its parent is the program's active span. */
export const ANSWER_SPAN: SpanStart = { name: 'truecast.generate', kind: 'internal', attributes: {} };

/** Describes the end of an answer. */
export function answerAttributes(
  { route }: Conversation,
  { attempts, usage, error }: GenerateEnding,
): SpanAttributes {
  return {
    'truecast.route': route?.name,
    'truecast.attempts': attempts.length,
    'truecast.code': error === undefined ? undefined : codeOf(error),
    ...usageAttributes(usage),
  };
}

function codeOf(error: unknown): string {
  return TruecastError.isInstance(error) ? error.code : 'aborted';
}

/** The span of one model call. */
export function callSpan({ provider, modelId }: GenerateModel): SpanStart {
  return {
    name: `chat ${modelId}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider.split('.')[0],
      'gen_ai.request.model': modelId,
    },
  };
}

/** Describes the reply of a model call. */
export function replyAttributes({ modelId, finishReason, usage }: ModelReply): SpanAttributes {
  return {
    'gen_ai.response.model': modelId,
    'gen_ai.response.finish_reasons': [finishReason],
    ...usageAttributes(usage),
  };
}
