/** Median with a bootstrap interval, which needs no assumption about the distribution. Pure. */
import { quantileOf } from './quantile.ts';
import { randomNumbers } from './random-numbers.ts';

/** A median with its 95 % confidence interval. */
export interface MedianEstimate {
  readonly count: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly p95: number;
}

const RESAMPLES = 1_000;

/**
 * Returns the median and its percentile bootstrap interval, given the values of each input.
 * Undefined without values. Inputs are resampled with all their values, because repeats of one input
 * resemble each other.
 */
export function estimateMedian(
  inputs: readonly (readonly number[])[],
  seed: number,
): MedianEstimate | undefined {
  const values = inputs.flat();
  const median = quantileOf(values, 0.5);
  if (median === undefined) return undefined;
  const filled = inputs.filter((input) => input.length > 0);
  const random = randomNumbers(seed);
  const drawn = (): readonly number[] => filled[Math.floor(random() * filled.length)] ?? values;
  const medians = Array.from({ length: RESAMPLES }, () => quantileOf(filled.flatMap(drawn), 0.5) ?? median);
  return {
    count: values.length,
    median,
    low: quantileOf(medians, 0.025) ?? median,
    high: quantileOf(medians, 0.975) ?? median,
    p95: quantileOf(values, 0.95) ?? median,
  };
}
