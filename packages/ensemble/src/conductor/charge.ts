/** Charge of a model call, and the error for an exceeded budget. Pure. */
import {
  BudgetExceededError,
  type BudgetExceededErrorCode,
} from '@truecast/core/internal/errors/budget-exceeded-error';
import type { Usage } from '@truecast/core/internal/errors/base/usage';
import type { ModelCall } from '../scenario/ensemble-agent.ts';

/**
 * Returns the payload of `model.called`. `number` counts the calls of the member's turn, from 1.
 * Invalid usage counts as zero, so that the call itself is always recorded.
 */
export function chargeOf(
  agent: string,
  number: number,
  { model, usage, durationMs, code }: ModelCall,
): Record<string, unknown> {
  return {
    agent,
    call: number,
    model: model === '' ? 'unknown' : model,
    code: code === '' ? 'unknown' : code,
    usage: usageOf(usage),
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

function usageOf(usage: Usage): Usage {
  return {
    inputTokens: Math.round(amount(usage.inputTokens)),
    outputTokens: Math.round(amount(usage.outputTokens)),
    cacheCreationInputTokens: Math.round(amount(usage.cacheCreationInputTokens)),
    cacheReadInputTokens: Math.round(amount(usage.cacheReadInputTokens)),
    ...(usage.costUsd !== undefined && { costUsd: amount(usage.costUsd) }),
  };
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
