/** Costs as whole millionths of a US dollar, which columns keep and compare exactly. */
export function toMicroUsd(usd: number): number {
  return Math.round(usd * 1_000_000);
}
