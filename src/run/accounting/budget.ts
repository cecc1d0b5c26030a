/** Run budget: detects when a limit is reached. Pure. */
import { LimitError } from '../../errors/limit-error.ts';
import { totalTokens, type Usage } from '../../errors/base/usage.ts';
import type { Budget } from '../options/run-options.ts';

/**
 * Returns the error of an exhausted budget, or undefined.
 *
 * @param requests - number of requests to the model, if they are counted
 */
export function budgetError(
  usage: Usage | undefined,
  budget: Budget | undefined,
  requests = 0,
): LimitError | undefined {
  if (usage === undefined || budget === undefined) return undefined;
  if (budget.requests !== undefined && requests > budget.requests) {
    return new LimitError(
      `The run asked its model more than ${budget.requests} times and was ended. Its work is kept; raise \`budget.requests\` to go on.`,
      { code: 'requests' },
    );
  }
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
