/** Quantiles, and the median with a bootstrap interval, which needs no assumption about the distribution. Pure. */

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

/** Returns numbers from 0 up to 1. Mulberry32: 32 bits of state, enough for samples of thousands. */
type RandomNumbers = () => number;

export function randomNumbers(seed: number): RandomNumbers {
  let state = Math.trunc(seed) | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function shuffled<TValue>(values: readonly TValue[], random: RandomNumbers): TValue[] {
  const keyed = values.map((value) => ({ value, rank: random() }));
  return keyed.toSorted((one, other) => one.rank - other.rank).map(({ value }) => value);
}

/** Returns the quantile. Undefined without values. */
export function quantileOf(values: readonly number[], share: number): number | undefined {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
