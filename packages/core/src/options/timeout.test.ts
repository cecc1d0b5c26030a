import { expect, it } from 'vitest';
import { assertTimeout, MAX_TIMEOUT_MS } from './timeout.ts';

it.each([undefined, 0.5, 1_000, MAX_TIMEOUT_MS])('accepts %s', (value) => {
  expect(() => assertTimeout('timeouts.runMs', value)).not.toThrow();
});

it.each([0, -1, Number.NaN, Infinity, MAX_TIMEOUT_MS + 1, '5m', null])('refuses %s', (value) => {
  expect(() => assertTimeout('timeouts.runMs', value)).toThrow(
    'Expected `timeouts.runMs` to be a number of milliseconds above 0, at most 24 days, got ',
  );
});
