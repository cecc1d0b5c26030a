/** Widths of buckets of time, in UTC. Pure. */
import type { QualityBucketWidth } from '../contract/wire/quality-wire.ts';

const HOUR_MS = 3_600_000;
const WIDTHS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const satisfies Record<
  QualityBucketWidth,
  number
>;
/** Maximum number of buckets. A chart cannot show more points. */
const MAX_BUCKETS = 400;

/** Chooses a width: the requested one, or a wider one if there would be too many buckets. */
export function chooseWidth(
  rangeMs: number,
  requested: QualityBucketWidth = rangeMs <= 2 * WIDTHS.day ? 'hour' : 'day',
): QualityBucketWidth {
  const widths = ['hour', 'day', 'week'] as const;
  const allowed = widths.slice(widths.indexOf(requested));
  return allowed.find((width) => rangeMs / WIDTHS[width] <= MAX_BUCKETS) ?? 'week';
}

/** Returns the start of the bucket that contains a time. */
export function bucketStart(time: number, width: QualityBucketWidth): number {
  return Math.floor(time / WIDTHS[width]) * WIDTHS[width];
}
