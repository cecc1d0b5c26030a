/** Token counts of receipts, and their names in memory. Pure. */
import { view } from '@truecast/core/internal/shape/view';
import type { ReceiptUsage } from '@truecast/client/internal/wire/receipt';
import type { Usage } from '@truecast/core/internal/kit/usage';

/** Returns token counts of the wire as a usage. */
export function fromReceiptUsage(usage: ReceiptUsage): Usage {
  const { cost_usd: costUsd } = usage;
  return view<Usage>({
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    costUsd,
  });
}

/** Returns token counts in the names of the wire. */
export function toReceiptUsage(usage: Usage): ReceiptUsage {
  const { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens, costUsd } = usage;
  return view<ReceiptUsage>({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_creation_input_tokens: cacheCreationInputTokens,
    cache_read_input_tokens: cacheReadInputTokens,
    cost_usd: costUsd,
  });
}
