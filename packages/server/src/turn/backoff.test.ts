import { expect, it } from 'vitest';
import { backoffMs, loadingDelayMs } from './backoff.ts';

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

it.each([
  [0, undefined, 1_000],
  [1, undefined, 1_000],
  [2, undefined, 2_000],
  [4, 40_000, 2_000],
  [4, 1_000_000, 8_000],
])(
  'after %i failures of a service that loads its model for up to %s ms: %i ms',
  (failures, loadingMs, expected) => {
    expect(loadingDelayMs(failures, loadingMs)).toBe(expected);
  },
);

it('the delays of a service that loads its model end at a twentieth of the time', () => {
  expect(loadingDelayMs(30, 600_000)).toBe(30_000);
});
