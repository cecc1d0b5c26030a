/** Budget check of one answer. Pure. */
import { totalTokens, type Usage } from '@truecast/core/internal/kit/usage';
import type { GenerateBudget } from './generate-options.ts';

/** Returns true if the budget allows no further call. */
export function budgetReached(usage: Usage | undefined, budget: GenerateBudget | undefined): boolean {
  if (usage === undefined || budget === undefined) return false;
  return (
    totalTokens(usage) >= (budget.tokens ?? Number.POSITIVE_INFINITY) ||
    (usage.costUsd ?? 0) >= (budget.usd ?? Number.POSITIVE_INFINITY)
  );
}

/** Told if a reply has no counts: further attempts would be paid for without a limit. */
export const UNCOUNTED: string =
  'No further attempt was made, because the service reports no tokens and `budget` cannot be counted: set `budget.attempts` instead.';

/** Returns true if the budget needs counts that a reply lacks. */
export function isUncounted(usage: Usage | undefined, budget: GenerateBudget | undefined): boolean {
  if (budget?.tokens === undefined && budget?.usd === undefined) return false;
  return usage === undefined;
}
