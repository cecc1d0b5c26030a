/** Span of one model call, by the GenAI conventions. Codes and counts only, no content. */
import type { GenerateModel } from '../call/generate-options.ts';
import type { ModelReply } from '../call/model-reply.ts';
import type { TraceHeaders } from '../telemetry/traceparent.ts';
import { type SpanAttributes, type SpanStart, usageAttributes } from '../telemetry/tracing.ts';

type CalledModel = Pick<GenerateModel, 'provider' | 'modelId'>;

/** The first part of the SDK's name, such as `openai` of `openai.responses`. */
export function providerName({ provider }: CalledModel): string {
  return provider.split('.')[0] ?? provider;
}

/**
 * The span of one model call, by the GenAI conventions, without messages.
 *
 * @param origin - the chat of the call, and its parent
 */
export function callSpan(
  model: CalledModel,
  origin?: TraceHeaders & { readonly chatId?: string },
): SpanStart {
  return {
    name: `chat ${model.modelId}`,
    kind: 'client',
    ...(origin !== undefined && { parent: origin }),
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerName(model),
      'gen_ai.request.model': model.modelId,
      'gen_ai.conversation.id': origin?.chatId,
    },
  };
}

export function replyAttributes({
  modelId,
  finishReason,
  usage,
}: Pick<ModelReply, 'modelId' | 'finishReason' | 'usage'>): SpanAttributes {
  return {
    'gen_ai.response.model': modelId,
    'gen_ai.response.finish_reasons': [finishReason],
    ...usageAttributes(usage),
  };
}
