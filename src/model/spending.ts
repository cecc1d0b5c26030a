/** Owns what the calls of one answer cost, and when its budget is spent. Pure. */
import type { Usage } from '../errors/usage.ts';
import type { GenerateBudget, GeneratePrices } from './generate-options.ts';

const TOKENS_PER_PRICE = 1_000_000;

/** Adds the cost. The sum of all calls is priced at once, so that nothing is rounded between them. */
export function priceUsage(usage: Usage, prices: GeneratePrices | undefined): Usage {
  if (prices === undefined) return usage;
  const { inputUsdPerMillion, outputUsdPerMillion } = prices;
  const usdTimesMillion =
    usage.inputTokens * inputUsdPerMillion +
    usage.outputTokens * outputUsdPerMillion +
    usage.cacheReadInputTokens * (prices.cacheReadUsdPerMillion ?? inputUsdPerMillion) +
    usage.cacheCreationInputTokens * (prices.cacheCreationUsdPerMillion ?? inputUsdPerMillion);
  return { ...usage, costUsd: usdTimesMillion / TOKENS_PER_PRICE };
}

/** Tells whether nothing is left for a further call. */
export function budgetReached(usage: Usage | undefined, budget: GenerateBudget | undefined): boolean {
  if (usage === undefined || budget === undefined) return false;
  const tokens =
    usage.inputTokens + usage.outputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
  return (
    tokens >= (budget.tokens ?? Number.POSITIVE_INFINITY) ||
    (usage.costUsd ?? 0) >= (budget.usd ?? Number.POSITIVE_INFINITY)
  );
}
