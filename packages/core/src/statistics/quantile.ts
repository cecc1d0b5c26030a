/** Quantile of values: the smallest one that at least the share of all values do not exceed. Pure. */

/** Returns the quantile. Undefined without values. */
export function quantileOf(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
