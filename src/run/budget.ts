/** Owns what a run may spend: says when a bound is reached. Pure. */
import { LimitError } from '../errors/limit-error.ts';
import { totalTokens, type Usage } from '../errors/usage.ts';
import type { Budget } from './run-options.ts';

/** Returns the error of a budget that is spent, or undefined. */
export function budgetError(usage: Usage | undefined, budget: Budget | undefined): LimitError | undefined {
  if (usage === undefined || budget === undefined) return undefined;
  const tokens = totalTokens(usage);
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
