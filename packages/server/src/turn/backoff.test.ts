import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

const MAX_TIMER_MS = 2 ** 31 - 1;

it.each([
  [1, 0, undefined, 500],
  [1, 1, undefined, 1_000],
  [4, 0, undefined, 4_000],
  [25, 1, undefined, 60_000],
  [1, 0, 90_000, 90_000],
  [1, 0, 3_600_000, 300_000],
  [1, 0, Number.MAX_VALUE, 300_000],
  [2_000, 1, undefined, 60_000],
])('after %i failures, with %d, asked for %s ms: %i ms', (failures, random, askedMs, expected) => {
  const delayMs = backoffMs(failures, random, askedMs);
  expect(delayMs).toBe(expected);
  expect(delayMs).toBeLessThan(MAX_TIMER_MS);
});
