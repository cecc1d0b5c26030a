/** Turns that a budget does not include, because their usage is unknown. Pure. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { EgressPolicy } from '../../ports/sandbox-provider.ts';
import type { Budget } from '../options/run-bounds.ts';
import { SharedBudget } from './shared-budget.ts';

/** Facts of a turn that has ended. */
export interface CountedTurn {
  readonly usage: Usage | undefined;
  readonly budget: Budget | undefined;
  readonly agent: string;
  /** Policy of the sandbox. With `model`, a request without counts is charged its maximum. */
  readonly egress: EgressPolicy | undefined;
}

/** Returns the warning for a turn that the budget does not include, or undefined. */
export function uncountedWarning({ usage, budget, agent, egress }: CountedTurn): string | undefined {
  if (egress === 'model') return undefined;
  const { tokens, usd } = (budget instanceof SharedBudget ? budget.ledger.budget : budget) ?? {};
  const limit = tokens === undefined ? 'usd' : 'tokens';
  const isUncounted =
    (tokens !== undefined && usage === undefined) || (usd !== undefined && usage?.costUsd === undefined);
  if (!isUncounted) return undefined;
  return `\`budget.${limit}\` does not include this turn, because the agent \`${agent}\` reported no usage. Use a sandbox with \`egress: 'model'\`, whose proxy counts each request, or set \`timeouts.runMs\`.`;
}
