import { describe, expect, it } from 'vitest';
import { budgetError } from './budget.ts';

const USAGE = {
  inputTokens: 1_000,
  outputTokens: 500,
  cacheCreationInputTokens: 10,
  cacheReadInputTokens: 20,
};

describe('a budget', () => {
  it('is spent when all tokens together pass it, those of caches too', () => {
    expect(budgetError(USAGE, { tokens: 1_530 })).toBeUndefined();
    expect(budgetError(USAGE, { tokens: 1_529 })?.code).toBe('tokens');
  });

  it('is spent when the cost passes it', () => {
    expect(budgetError({ ...USAGE, costUsd: 0.5 }, { usd: 0.5 })).toBeUndefined();
    expect(budgetError({ ...USAGE, costUsd: 0.51 }, { usd: 0.5 })?.code).toBe('money');
  });
});
