/** Rate of repeated trials: repeats of one input resemble each other, and count less. Pure. */
import { estimateRate, type RateEstimate } from './wilson-interval.ts';

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
