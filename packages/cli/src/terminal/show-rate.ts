/** Text of a rate with its interval. Pure. */
import type { RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';

/** Returns `93 % (84–97)`: the rate, and its 95 % interval. `-` without trials. */
export function showRate(estimate: RateEstimate): string {
  const { rate, trials } = estimate;
  return trials === 0 ? '-' : `${Math.round(rate * 100)} % ${showInterval(estimate)}`;
}

/** Returns `(84–97)`: the 95 % interval in percent. */
export function showInterval({ low, high }: RateEstimate): string {
  return `(${Math.round(low * 100)}–${Math.round(high * 100)})`;
}
