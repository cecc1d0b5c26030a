/** Wilson score interval of a rate, which holds for few trials and for rates near 0 and 1. Pure. */

/** A rate with its 95 % confidence interval. */
export interface RateEstimate {
  readonly successes: number;
  readonly trials: number;
  /** 0 without trials. */
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Normal quantile of a two-sided interval of 95 %. */
const Z = 1.959_963_984_540_054;

/**
 * Returns the rate of successes. Without trials the interval is the whole range.
 *
 * @param independent - effective number of independent trials
 */
export function estimateRate(successes: number, trials: number, independent: number = trials): RateEstimate {
  if (trials === 0) return { successes, trials, rate: 0, low: 0, high: 1 };
  const rate = successes / trials;
  const square = Z * Z;
  const scale = 1 + square / independent;
  const center = (rate + square / (2 * independent)) / scale;
  const variance = (rate * (1 - rate)) / independent + square / (4 * independent * independent);
  const half = (Z / scale) * Math.sqrt(variance);
  return {
    successes,
    trials,
    rate,
    low: successes === 0 ? 0 : center - half,
    high: successes === trials ? 1 : center + half,
  };
}
