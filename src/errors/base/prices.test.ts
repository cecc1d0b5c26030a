import { describe, expect, it } from 'vitest';
import { priceUsage } from './prices.ts';

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
