/** Widths of buckets of time, in UTC. Pure. */
import type { QualityBucketWidth } from '@truecast/client/internal/wire/quality';

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

export function bucketStart(time: number, width: QualityBucketWidth): number {
  return Math.floor(time / WIDTHS[width]) * WIDTHS[width];
}

/** Times from `since` to `until`, in milliseconds since 1970. */
export interface TimeRange {
  readonly since: number;
  readonly until: number;
}

/** Whole days and hours of a range. */
export interface WholePeriods {
  readonly days: readonly TimeRange[];
  readonly hours: readonly TimeRange[];
  /** All of them together. Empty, at the start of the range, without any. */
  readonly covered: TimeRange;
}

/**
 * Divides a range into whole days and hours. With `isOpen` nothing is after the range, so that its last
 * periods are whole too. Buckets of an hour have no days.
 */
export function wholePeriods(
  range: TimeRange,
  { isOpen, bucket }: { readonly isOpen: boolean; readonly bucket: QualityBucketWidth },
): WholePeriods {
  const { hour, day } = WIDTHS;
  const end = isOpen ? ceiling : floor;
  const [since, until] = [ceiling(range.since, hour), end(range.until, hour)];
  if (since >= until) return { days: [], hours: [], covered: { since: range.since, until: range.since } };
  const covered = { since, until };
  const days = { since: ceiling(since, day), until: end(until, day) };
  if (bucket === 'hour' || days.since >= days.until) return { days: [], hours: [covered], covered };
  const hours = [
    { since, until: days.since },
    { since: days.until, until },
  ];
  return { days: [days], hours: hours.filter((each) => each.since < each.until), covered };
}

function floor(time: number, widthMs: number): number {
  return Math.floor(time / widthMs) * widthMs;
}

function ceiling(time: number, widthMs: number): number {
  return Math.ceil(time / widthMs) * widthMs;
}
