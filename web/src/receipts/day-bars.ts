/** Bars of a histogram: one for each bucket of a report, also for those without an answer. Pure. */
import { BUCKET_MS } from '../parts/bucket-text.ts';
import type { QualityView } from '@truecast/client/internal/wire/quality';

/** Answers of one bucket. Times are in ISO 8601, and `end` is exclusive. */
export interface DayBar {
  readonly start: string;
  readonly end: string;
  readonly answers: number;
  readonly failed: number;
}

/** More bars would be too narrow to press. */
const MAX_BARS = 48;

/** Returns the bars of the report's range, the oldest first. */
export function barsOf({ since, until, bucket, buckets }: QualityView): readonly DayBar[] {
  const width = BUCKET_MS[bucket];
  const counts = new Map(
    buckets.filter(({ key }) => key === undefined).map((each) => [Date.parse(each.start), each]),
  );
  const last = Math.floor((Date.parse(until) - 1) / width) * width;
  const first = Math.max(Math.floor(Date.parse(since) / width) * width, last - (MAX_BARS - 1) * width);
  return Array.from({ length: Math.max(0, (last - first) / width + 1) }, (_none, index) => {
    const start = first + index * width;
    const { answers = 0, valid = 0 } = counts.get(start) ?? {};
    const [from, to] = [start, start + width].map((time) => new Date(time).toISOString());
    return { start: from ?? '', end: to ?? '', answers, failed: answers - valid };
  });
}
