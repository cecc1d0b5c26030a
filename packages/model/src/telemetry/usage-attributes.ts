/** Token usage as span attributes, in the names of the GenAI conventions. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { SpanAttributes } from './tracing.ts';

/** Returns the counts. Empty if the usage is unknown. */
export function usageAttributes(usage: Usage | undefined): SpanAttributes {
  return {
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheCreationInputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadInputTokens,
  };
}
