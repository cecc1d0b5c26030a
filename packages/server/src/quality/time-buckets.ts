/** Buckets of times, whose counts can be added up: a percentile is right within 5 %. Pure. */

/** Number of answers by the number of their bucket. */
export type TimeCounts = Map<number, number>;

/** Each bucket ends at 1.1 times its start, the first one at 1 millisecond. */
const LOG_GROWTH = Math.log(1.1);
/** Longer times are in one bucket: about two days. */
const MAX_BUCKET = 200;

export function timeBucket(ms: number): number {
  return ms <= 1 ? 0 : Math.min(MAX_BUCKET, Math.ceil(Math.log(ms) / LOG_GROWTH));
}

export function addTimes(counts: TimeCounts, bucket: number, answers: number): void {
  counts.set(bucket, (counts.get(bucket) ?? 0) + answers);
}

/**
 * Returns the time, in whole milliseconds, that this share of the answers needed at most: the middle of
 * its bucket. Undefined without answers.
 */
export function timePercentile(counts: TimeCounts, share: number): number | undefined {
  let total = 0;
  for (const answers of counts.values()) total += answers;
  let left = Math.ceil(total * share);
  for (const [bucket, answers] of [...counts].toSorted(([one], [other]) => one - other)) {
    left -= answers;
    if (left <= 0) return Math.round(Math.exp((bucket - 0.5) * LOG_GROWTH));
  }
  return undefined;
}
