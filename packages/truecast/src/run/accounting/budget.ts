/** Run budget: detects when a limit is reached. Pure. */
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { totalTokens, type Usage } from '@truecast/core/internal/kit/usage';
import type { Budget } from '../options/run-bounds.ts';

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
      `The run sent more than ${budget.requests} requests to its model and was stopped. Its work is kept. To continue, raise \`budget.requests\`.`,
      { code: 'requests' },
    );
  }
  const tokens = totalTokens(usage);
  if (budget.tokens !== undefined && tokens > budget.tokens) {
    return new LimitError(
      `The run used ${tokens} tokens of its budget of ${budget.tokens} and was stopped. Its work is kept. To continue, raise \`budget.tokens\`.`,
      { code: 'tokens' },
    );
  }
  if (budget.usd !== undefined && (usage.costUsd ?? 0) > budget.usd) {
    return new LimitError(
      `The run spent ${usage.costUsd} US dollars of its budget of ${budget.usd} and was stopped. Its work is kept. To continue, raise \`budget.usd\`.`,
      { code: 'money' },
    );
  }
  return undefined;
}
