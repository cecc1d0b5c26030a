/** Charge of a model call, and the error for an exceeded budget. Pure. */
import {
  BudgetExceededError,
  type BudgetExceededErrorCode,
} from '@truecast/core/internal/errors/budget-exceeded-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { ModelCall } from '../scenario/ensemble-agent.ts';

/**
 * Returns the payload of `model.called`. `number` counts the calls of the member's turn, from 1.
 * Invalid usage is left out as unknown, so that the call itself is always recorded.
 */
export function chargeOf(
  agent: string,
  number: number,
  { model, usage, durationMs, code }: ModelCall,
): Record<string, unknown> {
  const counts = usage && usageOf(usage);
  return {
    agent,
    call: number,
    model: model === '' ? 'unknown' : model,
    code: code === '' ? 'unknown' : code,
    ...(counts !== undefined && { usage: counts }),
    duration_ms: amount(durationMs),
  };
}

/** Returns the error for a call over a limit. */
export function budgetExceeded(code: BudgetExceededErrorCode): BudgetExceededError {
  return new BudgetExceededError(
    `Expected the call to stay within the run's budget, but it exceeded \`${code}\`. It is charged and its answer is not used. Raise the bound in \`limits\`.`,
    { code },
  );
}

/** The usage can come from JavaScript. */
function usageOf(usage: Usage): Usage | undefined {
  const { inputTokens, outputTokens } = usage;
  if (!isAmount(inputTokens) || !isAmount(outputTokens)) return undefined;
  return {
    inputTokens: Math.round(inputTokens),
    outputTokens: Math.round(outputTokens),
    cacheCreationInputTokens: Math.round(amount(usage.cacheCreationInputTokens)),
    cacheReadInputTokens: Math.round(amount(usage.cacheReadInputTokens)),
    ...(isAmount(usage.costUsd) && { costUsd: usage.costUsd }),
  };
}

function amount(value: unknown): number {
  return isAmount(value) ? value : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
