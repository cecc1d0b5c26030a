/** Percentiles of times that are counted in buckets. */
import { expect, it } from 'vitest';
import { addTimes, timeBucket, timePercentile, type TimeCounts } from './time-buckets.ts';

function counted(times: readonly number[]): TimeCounts {
  const counts: TimeCounts = new Map();
  for (const ms of times) addTimes(counts, timeBucket(ms), 1);
  return counts;
}

it.each([1, 7, 90, 2_500, 41_000, 7_200_000])('finds the time %i within 5 percent', (ms) => {
  for (const share of [0.01, 0.5, 0.95, 1]) {
    expect(Math.abs((timePercentile(counted([ms]), share) ?? 0) / ms - 1)).toBeLessThanOrEqual(0.05);
  }
});

it('takes the time that this share of the answers needed at most', () => {
  const times = Array.from({ length: 20 }, (_each, index) => (index < 19 ? 100 * (index + 1) : 60_000));
  const [median, high] = [0.5, 0.95].map((share) => timePercentile(counted(times), share) ?? 0);
  expect(Math.abs((median ?? 0) / 1_000 - 1)).toBeLessThan(0.05);
  expect(Math.abs((high ?? 0) / 1_900 - 1)).toBeLessThan(0.05);
  expect(Math.abs((timePercentile(counted(times), 0.96) ?? 0) / 60_000 - 1)).toBeLessThan(0.05);
});

it('finds nothing without answers, and has few buckets for any time', () => {
  expect(timePercentile(new Map(), 0.5)).toBeUndefined();
  const counts = counted([0, -5, 0.2, 1e12, Number.MAX_SAFE_INTEGER]);
  expect([...counts]).toEqual([
    [0, 3],
    [200, 2],
  ]);
});
