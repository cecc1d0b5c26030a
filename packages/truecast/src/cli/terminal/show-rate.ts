/** Text of a rate with its interval. Pure. */
import type { RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';

/** Returns `93 % (84–97)`: the rate, and its 95 % interval. `-` without trials. */
export function showRate({ rate, low, high, trials }: RateEstimate): string {
  if (trials === 0) return '-';
  const [value, from, to] = [rate, low, high].map((share) => Math.round(share * 100));
  return `${value} % (${from}–${to})`;
}
