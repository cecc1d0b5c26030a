/** Owns what a run may spend: prices usage where the agent tells no cost, and says when a bound is reached. Pure. */
import { LimitError } from '../errors/limit-error.ts';
import type { Usage } from '../errors/usage.ts';
import type { Budget, Prices } from './run-options.ts';

const TOKENS_PER_PRICE = 1_000_000;

/** Adds the cost by the caller's prices, where the agent tells none. */
export function priceUsage(usage: Usage, prices: Prices | undefined): Usage {
  if (usage.costUsd !== undefined || prices === undefined) return usage;
  const { inputUsdPerMillion, outputUsdPerMillion } = prices;
  const usdTimesMillion =
    usage.inputTokens * inputUsdPerMillion +
    usage.outputTokens * outputUsdPerMillion +
    usage.cacheReadInputTokens * (prices.cacheReadUsdPerMillion ?? inputUsdPerMillion) +
    usage.cacheCreationInputTokens * (prices.cacheCreationUsdPerMillion ?? inputUsdPerMillion);
  return { ...usage, costUsd: usdTimesMillion / TOKENS_PER_PRICE };
}

/** Returns the error of a budget that is spent, or undefined. */
export function budgetError(usage: Usage | undefined, budget: Budget | undefined): LimitError | undefined {
  if (usage === undefined || budget === undefined) return undefined;
  const tokens =
    usage.inputTokens + usage.outputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
  if (budget.tokens !== undefined && tokens > budget.tokens) {
    return new LimitError(
      `The run used ${tokens} tokens of its budget of ${budget.tokens} and was ended. Its work is kept; raise \`budget.tokens\` to go on.`,
      { code: 'tokens' },
    );
  }
  if (budget.usd !== undefined && (usage.costUsd ?? 0) > budget.usd) {
    return new LimitError(
      `The run spent ${usage.costUsd} US dollars of its budget of ${budget.usd} and was ended. Its work is kept; raise \`budget.usd\` to go on.`,
      { code: 'money' },
    );
  }
  return undefined;
}
