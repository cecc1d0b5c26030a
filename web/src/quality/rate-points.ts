/** Points of the chart of first-try rates, and the time range that a part of the chart covers. Pure. */
import { estimateRate } from '@truecast/core/internal/statistics/wilson-interval';
import { BUCKET_MS, type ChartRange } from '../parts/bucket-text.ts';
import type { QualityView } from '@truecast/client/internal/wire/quality';

export const WIDTH = 860;
export const HEIGHT = 220;
/** Room for a point at an edge. */
export const INSET = 6;
/** A part of the chart that is narrower is a click. */
const MIN_SHARE = 0.01;

/** The answers of one bucket, at their position. */
export interface RatePoint {
  readonly start: string;
  readonly answers: number;
  readonly firstTry: number;
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** Points of all answers, or of one group. */
export interface RateLine {
  /** The group. Absent for all answers. */
  readonly key?: string;
  readonly points: readonly RatePoint[];
}

/** Returns the line of all answers, and then those of groups, if there are at least two. */
export function linesOf({ buckets }: Pick<QualityView, 'buckets'>): readonly RateLine[] {
  const times = buckets.map(({ start }) => Date.parse(start));
  const from = Math.min(...times);
  const range = Math.max(...times) - from;
  const keys = [...new Set(buckets.flatMap(({ key }) => key ?? []))];
  return [undefined, ...(keys.length > 1 ? keys : [])].map((key) => ({
    ...(key !== undefined && { key }),
    points: buckets
      .filter((bucket) => bucket.key === key)
      .map(({ start, answers, first_try: firstTry }) => {
        const { rate, low, high } = estimateRate(firstTry, answers);
        const share = range === 0 ? 0.5 : (Date.parse(start) - from) / range;
        const x = INSET + share * (WIDTH - 2 * INSET);
        return { start, answers, firstTry, x, y: yOf(rate), low: yOf(low), high: yOf(high) };
      }),
  }));
}

function yOf(rate: number): number {
  return INSET + (1 - rate) * (HEIGHT - 2 * INSET);
}

/**
 * Returns the range of the buckets between two positions, as shares of the width. Undefined for a
 * click, and between two points.
 */
export function rangeBetween(
  points: readonly RatePoint[],
  bucket: QualityView['bucket'],
  [one, other]: readonly [number, number],
): ChartRange | undefined {
  if (Math.abs(one - other) < MIN_SHARE) return undefined;
  const [left, right] = [Math.min(one, other) * WIDTH, Math.max(one, other) * WIDTH];
  const inside = points.filter(({ x }) => x >= left - INSET && x <= right + INSET);
  const [first] = inside;
  const last = inside.at(-1);
  return first && last && bucketRange([first.start, last.start], bucket);
}

/** Returns the range from the start of a bucket to the end of another one. */
export function bucketRange(
  [first, last]: readonly [string, string],
  bucket: QualityView['bucket'],
): ChartRange {
  return { since: first, until: new Date(Date.parse(last) + BUCKET_MS[bucket]).toISOString() };
}
