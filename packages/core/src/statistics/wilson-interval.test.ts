import { describe, expect, it } from 'vitest';
import { estimateRate } from './wilson-interval.ts';

describe('the interval of a rate', () => {
  // R: prop.test(x, n, correct = FALSE)$conf.int
  it.each([
    [1, 10, 0.017_876, 0.404_150],
    [15, 50, 0.191_028, 0.437_505],
    [81, 263, 0.255_276, 0.366_215],
    [10, 10, 0.722_467, 1],
    [0, 20, 0, 0.161_125],
  ])('is that of the published tables for %i of %i', (successes, trials, low, high) => {
    const estimate = estimateRate(successes, trials);
    expect(estimate.low).toBeCloseTo(low, 3);
    expect(estimate.high).toBeCloseTo(high, 3);
  });

  it('is the whole range without trials', () => {
    expect(estimateRate(0, 0)).toMatchObject({ rate: 0, low: 0, high: 1 });
  });

  it('contains the true rate in 93 to 97 of 100 draws', () => {
    let state = 7;
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const contained = Array.from({ length: 2_000 }, () => {
      const successes = Array.from({ length: 40 }, random).filter((draw) => draw < 0.7).length;
      const { low, high } = estimateRate(successes, 40);
      return low <= 0.7 && 0.7 <= high;
    }).filter(Boolean).length;
    expect(contained / 2_000).toBeGreaterThan(0.93);
    expect(contained / 2_000).toBeLessThan(0.97);
  });
});
