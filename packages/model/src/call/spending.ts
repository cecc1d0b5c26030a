/** Budget check of one answer. Pure. */
import { totalTokens, type Usage } from '@truecast/core/internal/errors/base/usage';
import type { GenerateBudget } from './generate-options.ts';

/** Returns true if the budget allows no further call. */
export function budgetReached(usage: Usage | undefined, budget: GenerateBudget | undefined): boolean {
  if (usage === undefined || budget === undefined) return false;
  return (
    totalTokens(usage) >= (budget.tokens ?? Number.POSITIVE_INFINITY) ||
    (usage.costUsd ?? 0) >= (budget.usd ?? Number.POSITIVE_INFINITY)
  );
}
