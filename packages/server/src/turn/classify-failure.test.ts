import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';
import { classifyFailure, retryAfterMs, type ModelFailure } from './classify-failure.ts';

describe('a failure', () => {
  it.each<[ModelFailure, string]>([
    [{ statusCode: 429 }, 'rate_limit retry'],
    [{ statusCode: 429, errorCode: 'quota_exceeded' }, 'rate_limit retry'],
    [{ statusCode: 429, errorCode: 'RESOURCE_EXHAUSTED' }, 'rate_limit retry'],
    [{ statusCode: 429, errorCode: 'insufficient_quota' }, 'usage_limit fail'],
    [{ statusCode: 529 }, 'overloaded retry'],
    [{ statusCode: 200, errorCode: 'overloaded_error', cause: 'stream' }, 'overloaded retry'],
    [{ statusCode: 408 }, 'timeout retry'],
    [{ statusCode: 500 }, 'server retry'],
    [{ statusCode: 502 }, 'server retry'],
    [{ statusCode: 503 }, 'overloaded retry'],
    [{ statusCode: 504 }, 'timeout retry'],
    [{ statusCode: 507 }, 'server retry'],
    [{ statusCode: 401 }, 'auth fail'],
    [{ statusCode: 403 }, 'auth fail'],
    [{ statusCode: 400 }, 'config fail'],
    [{ statusCode: 404 }, 'config fail'],
    [{ statusCode: 422 }, 'config fail'],
    [{ statusCode: 400, errorCode: 'context_length_exceeded' }, 'context_full compact'],
    [{ statusCode: 413 }, 'context_full compact'],
    [{ cause: 'connection' }, 'connection retry'],
    [{ cause: 'stream', statusCode: 200 }, 'connection retry'],
    [{ cause: 'silence', statusCode: 200 }, 'timeout retry'],
    [{ cause: 'timeout' }, 'timeout retry'],
    [{ cause: 'aborted', statusCode: 200 }, 'interrupted fail'],
    [{ cause: 'aborted', statusCode: 429 }, 'interrupted fail'],
    [{ cause: 'connection', statusCode: 400 }, 'config fail'],
    [{}, 'config fail'],
  ])('%j is %s', (failure, expected) => {
    const { kind, action } = classifyFailure(failure);
    expect(`${kind} ${action}`).toBe(expected);
  });
});

describe('the delay that a provider requests', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{}, undefined],
  ])('%j is %s ms', (headers, expected) => {
    // An invalid date must not be parsed: engines read "-1" as a month.
    expect(retryAfterMs(headers, now, (text) => (text.includes('GMT') ? Date.parse(text) : Number.NaN))).toBe(
      expected,
    );
  });
});

describe('the delay', () => {
  it('doubles up to a minute, half of it random, and is never shorter than requested', () => {
    expect([1, 2, 3, 7, 25].map((failures) => backoffMs(failures, 1, undefined))).toEqual([
      1_000, 2_000, 4_000, 60_000, 60_000,
    ]);
    expect(backoffMs(1, 0, undefined)).toBe(500);
    expect(backoffMs(1, 0.5, 90_000)).toBe(90_000);
    expect(backoffMs(7, 0, 2)).toBe(30_000);
  });

  it('stays between half of its length and all of it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const delay = backoffMs(failures, random, undefined);
          const longest = backoffMs(failures, 1, undefined);
          expect(delay).toBeGreaterThanOrEqual(longest / 2);
          expect(delay).toBeLessThanOrEqual(longest);
        },
      ),
    );
  });
});
