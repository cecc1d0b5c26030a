import { describe, expect, it } from 'vitest';
import { priceUsage } from './usage.ts';

const USAGE = {
  inputTokens: 1_000,
  outputTokens: 500,
  cacheCreationInputTokens: 10,
  cacheReadInputTokens: 20,
};
const PRICES = { inputUsdPerMillion: 3, outputUsdPerMillion: 15, cacheReadUsdPerMillion: 0.3 };

describe('prices', () => {
  it('compute the cost of a usage, with the input price if a cache has none', () => {
    expect(priceUsage(USAGE, PRICES).costUsd).toBeCloseTo(
      (1_000 * 3 + 500 * 15 + 20 * 0.3 + 10 * 3) / 1e6,
      12,
    );
  });

  it('keep the cost that the agent reports', () => {
    expect(priceUsage({ ...USAGE, costUsd: 1 }, PRICES).costUsd).toBe(1);
  });
});
