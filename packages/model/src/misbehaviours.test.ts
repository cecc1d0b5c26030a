/**
 * What small models and their servers send instead of an answer: once, then rightly, and always.
 */
import { describe, expect, it } from 'vitest';
import { MOST_REQUESTS, NAMES, SILENT, countMended, outcomesOfMisbehaviour } from './test-misbehaviours.ts';
import { right } from './test-misbehaviour.ts';

it('has at least 59 of them', () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(59);
});

describe.each([false, true])('lenient: %s', (isLenient) => {
  it('is valid within three requests after each of them but one, and with no more requests than before', async () => {
    const found = await outcomesOfMisbehaviour((bad) => [bad, right], isLenient);
    const others = Object.entries(found).filter(([, requests]) => !(Number(requests) <= 3));
    expect(others).toEqual([[SILENT, 'timeout']]);
    const { requests } = countMended(found);
    expect(requests).toBeLessThanOrEqual(MOST_REQUESTS[isLenient ? 'lenient' : 'strict']);
  });
});

it('is valid for at least half of them if they never stop, and ends with a typed error else', async () => {
  const found = await outcomesOfMisbehaviour((bad) => [bad], true);
  const valid = Object.entries(found).filter(([, requests]) => typeof requests === 'number');
  expect(valid.length).toBeGreaterThanOrEqual(NAMES.length / 2);
});
