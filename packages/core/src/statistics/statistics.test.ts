import { describe, expect, it } from 'vitest';
import { estimateMedian } from './median-interval.ts';
import { comparePairs } from './paired-test.ts';
import { quantileOf } from './quantile.ts';
import { randomNumbers, shuffled } from './random-numbers.ts';

describe('the paired test', () => {
  const outcomes = (onlyFirst: number, onlySecond: number, both = 3): (readonly [boolean, boolean])[] => [
    ...Array.from({ length: onlyFirst }, () => [true, false] as const),
    ...Array.from({ length: onlySecond }, () => [false, true] as const),
    ...Array.from({ length: both }, () => [true, true] as const),
  ];

  // R: binom.test(b, b + c)$p.value
  it.each([
    [2, 8, 0.109_375],
    [0, 6, 0.031_25],
    [5, 15, 0.041_389_47],
    [4, 4, 1],
    [0, 0, 1],
    [59, 121, 4.434_33e-6],
  ])('has the p of the published tables for %i and %i', (first, second, p) => {
    expect(comparePairs(outcomes(first, second)).p).toBeCloseTo(p, 6);
  });

  it('does not underflow with thousands of pairs', () => {
    expect(comparePairs(outcomes(2_000, 2_000)).p).toBe(1);
    expect(comparePairs(outcomes(1_900, 2_100)).p).toBeCloseTo(0.001_6, 3);
  });

  it('reports the difference of the rates', () => {
    expect(comparePairs(outcomes(3, 1, 6))).toMatchObject({ pairs: 10, difference: 0.2 });
    expect(comparePairs([])).toMatchObject({ pairs: 0, difference: 0, p: 1 });
  });
});

describe('the median', () => {
  it('has an interval that contains the true median in 93 to 97 of 100 draws', () => {
    const random = randomNumbers(3);
    const contained = Array.from({ length: 400 }, (_, seed) => {
      const estimate = estimateMedian(Array.from({ length: 41 }, random), seed);
      return estimate !== undefined && estimate.low <= 0.5 && 0.5 <= estimate.high;
    }).filter(Boolean).length;
    expect(contained / 400).toBeGreaterThan(0.92);
    expect(contained / 400).toBeLessThan(0.98);
  });

  it('is the value of a single trial, and absent without trials', () => {
    expect(estimateMedian([7], 1)).toEqual({ count: 1, median: 7, low: 7, high: 7, p95: 7 });
    expect(estimateMedian([], 1)).toBeUndefined();
    expect(quantileOf([], 0.5)).toBeUndefined();
    expect(quantileOf([3, 1, 2, 4], 0.5)).toBe(2);
  });
});

describe('random numbers', () => {
  it('are equal for equal seeds, and shuffle every value once', () => {
    const values = Array.from({ length: 50 }, (_, index) => index);
    const order = shuffled(values, randomNumbers(1));
    expect(order).toEqual(shuffled(values, randomNumbers(1)));
    expect(order).not.toEqual(shuffled(values, randomNumbers(2)));
    expect(order.toSorted((one, other) => one - other)).toEqual(values);
  });
});
