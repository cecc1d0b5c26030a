/** Owns what an answer costs in tokens and money. Pure. */

/** Tokens and money that an answer cost; every field is a sum over the calls it covers. */
export interface Usage {
  /** Tokens read by the model that were in no cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens written into the provider's prompt cache. */
  readonly cacheCreationInputTokens: number;
  /** Tokens read from the provider's prompt cache. */
  readonly cacheReadInputTokens: number;
  /** US dollars, where the agent or the caller's prices tell. */
  readonly costUsd?: number;
}

/** What a call cost of which nothing is known. */
export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

/** Tokens of every kind, those of caches too. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
}

/** Adds usages field by field; `costUsd` is present when any of them has one. Returns undefined for no usage at all. */
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
