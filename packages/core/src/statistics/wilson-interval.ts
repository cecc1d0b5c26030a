/** Wilson score interval of a rate, which holds for few trials and for rates near 0 and 1, also of repeated trials. Pure. */

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

/**
 * Returns the rate of successes, given the trials of each input. The number of trials is divided by
 * the design effect: the variance between inputs, relative to that of independent trials.
 */
export function estimateClusteredRate(inputs: readonly (readonly boolean[])[]): RateEstimate {
  const clusters = inputs.filter((trials) => trials.length > 0).map(countOf);
  const trials = clusters.reduce((sum, cluster) => sum + cluster.trials, 0);
  const successes = clusters.reduce((sum, cluster) => sum + cluster.successes, 0);
  return estimateRate(successes, trials, trials / designEffectOf(clusters, { trials, successes }));
}

interface Counts {
  readonly trials: number;
  readonly successes: number;
}

function countOf(trials: readonly boolean[]): Counts {
  return { trials: trials.length, successes: trials.filter(Boolean).length };
}

/**
 * Returns 1 for independent trials, and the number of repeats if all repeats of an input agree. One
 * more input whose repeats agree is added, because few inputs, or a rate of 0 or 1, do not show the
 * variance.
 */
function designEffectOf(clusters: readonly Counts[], { trials, successes }: Counts): number {
  const repeats = trials / clusters.length;
  if (!(repeats > 1)) return 1;
  const rate = (successes + repeats / 2) / (trials + repeats);
  const squares = clusters.map((cluster) => (cluster.successes - rate * cluster.trials) ** 2);
  const added = (repeats * repeats * (rate * rate + (1 - rate) ** 2)) / 2;
  const between = squares.reduce((sum, square) => sum + square, added);
  return Math.min(repeats, Math.max(1, between / (trials * rate * (1 - rate))));
}
