import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import { estimateMedian, randomNumbers, shuffled, quantileOf } from './median-interval.ts';
import { estimateClusteredRate, estimateRate, type RateEstimate } from './wilson-interval.ts';
import { comparePairs, type PairOutcome } from './paired-test.ts';

describe('the paired test', () => {
  /** One pair per input, unless an input has several. */
  const outcomes = (onlyFirst: number, onlySecond: number, both = 3): PairOutcome[][] => [
    ...Array.from({ length: onlyFirst }, (): PairOutcome[] => [[true, false]]),
    ...Array.from({ length: onlySecond }, (): PairOutcome[] => [[false, true]]),
    ...Array.from({ length: both }, (): PairOutcome[] => [[true, true]]),
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

  it('counts repeats of an input that agree as one', () => {
    const once = outcomes(6, 0);
    const thrice = once.map((pairs) => [...pairs, ...pairs, ...pairs]);
    expect(comparePairs(thrice)).toMatchObject({ pairs: 27, onlyFirst: 18, p: comparePairs(once).p });
    // Signs of 2, 1 and 1: 2 of 8 sums are as far from 0.
    const unequal: PairOutcome[][] = [
      [
        [true, false],
        [true, false],
      ],
      [[true, false]],
      [[true, false]],
    ];
    expect(comparePairs(unequal).p).toBe(0.25);
  });

  it('reports the difference of the rates', () => {
    expect(comparePairs(outcomes(3, 1, 6))).toMatchObject({ pairs: 10, difference: 0.2 });
    expect(comparePairs([])).toMatchObject({ pairs: 0, difference: 0, p: 1 });
  });
});

describe('the median', () => {
  it('has an interval that contains the true median in 93 to 97 of 100 draws', () => {
    const random = randomNumbers(3);
    const draws = matrixRuns(75, 400);
    const contained = Array.from({ length: draws }, (_, seed) => {
      const estimate = estimateMedian(
        Array.from({ length: 41 }, () => [random()]),
        seed,
      );
      return estimate !== undefined && estimate.low <= 0.5 && 0.5 <= estimate.high;
    }).filter(Boolean).length;
    expect(contained / draws).toBeGreaterThan(0.92);
    expect(contained / draws).toBeLessThan(0.98);
  });

  it('is the value of a single trial, and absent without trials', () => {
    expect(estimateMedian([[7], []], 1)).toEqual({ count: 1, median: 7, low: 7, high: 7, p95: 7 });
    expect(estimateMedian([], 1)).toBeUndefined();
    expect(quantileOf([], 0.5)).toBeUndefined();
    expect(quantileOf([3, 1, 2, 4], 0.5)).toBe(2);
  });
});

describe('repeats of an input', () => {
  it('leave the median uncertain by the inputs, not by the trials', () => {
    const inputs = [1, 2, 3, 4, 5].map((value) => Array.from({ length: 20 }, () => value));
    expect(estimateMedian(inputs, 1)).toMatchObject({ count: 100, median: 3, low: 1, high: 5 });
  });

  it('count as one trial if they always agree, and all if they do not resemble each other', () => {
    const agreeing = Array.from({ length: 20 }, (_, index) => [index < 16, index < 16, index < 16]);
    expect(estimateClusteredRate(agreeing)).toEqual({ ...estimateRate(16, 20), successes: 48, trials: 60 });
    const perfect = Array.from({ length: 20 }, () => [true, true, true]);
    expect(estimateClusteredRate(perfect).low).toBeCloseTo(estimateRate(20, 20).low, 10);
    const mixed = Array.from({ length: 20 }, () => [true, false]);
    expect(estimateClusteredRate(mixed)).toEqual(estimateRate(20, 40));
    expect(estimateClusteredRate([])).toEqual(estimateRate(0, 0));
  });

  it('have an interval that contains the true rate in at least 93 of 100 draws', () => {
    const random = randomNumbers(11);
    // 80 % of the inputs are easy: 95 % of their trials succeed, 20 % of the others.
    const draws = Array.from({ length: 1_000 }, () =>
      Array.from({ length: 20 }, () => {
        const share = random() < 0.8 ? 0.95 : 0.2;
        return Array.from({ length: 5 }, () => random() < share);
      }),
    );
    const covers = ({ low, high }: RateEstimate): boolean => low <= 0.8 && 0.8 <= high;
    const clustered = draws.filter((inputs) => covers(estimateClusteredRate(inputs))).length;
    const independent = draws.filter((inputs) =>
      covers(estimateRate(inputs.flat().filter(Boolean).length, 100)),
    ).length;
    expect(clustered).toBeGreaterThan(930);
    expect(independent).toBeLessThan(850);
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
