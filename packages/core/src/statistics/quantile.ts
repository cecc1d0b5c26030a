/** Quantile of values: the smallest value that is not below the given share of all values. Pure. */

/** Returns the quantile. Undefined without values. */
export function quantileOf(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
