import { describe, expect, it } from 'vitest';
import { budgetError, priceUsage } from './budget.ts';

const USAGE = {
  inputTokens: 1_000,
  outputTokens: 500,
  cacheCreationInputTokens: 10,
  cacheReadInputTokens: 20,
};
const PRICES = { inputUsdPerMillion: 3, outputUsdPerMillion: 15, cacheReadUsdPerMillion: 0.3 };

describe('prices', () => {
  it('give a usage its cost, with the input price where a cache has none', () => {
    expect(priceUsage(USAGE, PRICES).costUsd).toBeCloseTo(
      (1_000 * 3 + 500 * 15 + 20 * 0.3 + 10 * 3) / 1e6,
      12,
    );
  });

  it('leave the cost that the agent tells', () => {
    expect(priceUsage({ ...USAGE, costUsd: 1 }, PRICES).costUsd).toBe(1);
  });
});

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
