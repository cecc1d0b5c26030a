/** Token prices and costs. Pure. */
import type { Usage } from './usage.ts';

/** US dollars per million tokens, used if no other source reports the cost. */
export interface Prices {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  /** @default `inputUsdPerMillion` */
  readonly cacheReadUsdPerMillion?: number;
  /** @default `inputUsdPerMillion` */
  readonly cacheCreationUsdPerMillion?: number;
}

const TOKENS_PER_PRICE = 1_000_000;

/**
 * Adds the cost if the usage reports none. An unknown usage has no cost. A sum that is priced at
 * once is rounded once.
 */
export function priceUsage(usage: Usage, prices: Prices | undefined): Usage;
export function priceUsage(usage: Usage | undefined, prices: Prices | undefined): Usage | undefined;
export function priceUsage(usage: Usage | undefined, prices: Prices | undefined): Usage | undefined {
  if (usage === undefined || usage.costUsd !== undefined || prices === undefined) return usage;
  const { inputUsdPerMillion, outputUsdPerMillion } = prices;
  const usdTimesMillion =
    usage.inputTokens * inputUsdPerMillion +
    usage.outputTokens * outputUsdPerMillion +
    usage.cacheReadInputTokens * (prices.cacheReadUsdPerMillion ?? inputUsdPerMillion) +
    usage.cacheCreationInputTokens * (prices.cacheCreationUsdPerMillion ?? inputUsdPerMillion);
  return { ...usage, costUsd: usdTimesMillion / TOKENS_PER_PRICE };
}
