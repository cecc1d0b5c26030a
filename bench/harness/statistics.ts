/** Statistics of a list of samples. Pure. */

/** Summary of a list of samples. */
export interface Summary {
  readonly samples: number;
  readonly min: number;
  readonly median: number;
  readonly mean: number;
  readonly p99: number;
  readonly max: number;
}

/** Summarizes samples. For an empty list every figure is NaN. */
export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    samples: sorted.length,
    min: sorted[0] ?? Number.NaN,
    median: quantile(sorted, 0.5),
    mean: sorted.reduce((sum, sample) => sum + sample, 0) / sorted.length,
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1) ?? Number.NaN,
  };
}

/** Median of the pairwise ratios: a slow moment of the machine affects both halves of a pair. */
export function medianRatio(numerators: readonly number[], denominators: readonly number[]): number {
  const ratios = numerators.map((sample, index) => sample / (denominators[index] ?? Number.NaN));
  return summarize(ratios).median;
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}
