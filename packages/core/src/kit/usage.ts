/** Token usage of an answer, prices and costs. Pure. */

/**
 * Tokens and money that an answer cost, as the service reported them. Every field is a sum over the
 * calls that reported counts. Where no call did, there is no `Usage`: an unknown count is never 0.
 */
export interface Usage {
  /** Input tokens that were not read from or written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens written into the provider's prompt cache. */
  readonly cacheCreationInputTokens: number;
  /** Tokens read from the provider's prompt cache. */
  readonly cacheReadInputTokens: number;
  /** US dollars, if the agent reports the cost or the caller sets prices. */
  readonly costUsd?: number;
}

/** Start of a sum. An unknown usage is `undefined`, not this. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

/** Tokens of every kind, including cached tokens. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
}

/**
 * Returns the counts of a service, or undefined if it reported none. Each request has input, so
 * counts without any are not a report.
 */
export function reportedUsage(counts: Usage): Usage | undefined {
  return totalTokens(counts) > counts.outputTokens ? counts : undefined;
}

/**
 * Adds usages field by field. `costUsd` is present if any of them has one. Returns undefined if
 * every usage is undefined.
 */
export function sumUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== undefined);
  if (known.length === 0) return undefined;
  const sum = (pick: (usage: Usage) => number): number =>
    known.reduce((total, usage) => total + pick(usage), 0);
  const isPriced = known.some((usage) => usage.costUsd !== undefined);
  return {
    inputTokens: sum((usage) => usage.inputTokens),
    outputTokens: sum((usage) => usage.outputTokens),
    cacheCreationInputTokens: sum((usage) => usage.cacheCreationInputTokens),
    cacheReadInputTokens: sum((usage) => usage.cacheReadInputTokens),
    ...(isPriced && { costUsd: sum((usage) => usage.costUsd ?? 0) }),
  };
}

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
