import { expect, test } from 'vitest';
import { readResetTime, readUsageLimit } from './usage-limit.ts';

const NOW = new Date('2026-03-10T12:30:20.000Z');

test.each([
  ['Claude AI usage limit reached|1795230760', '2026-11-21T03:12:40.000Z'],
  ["You've hit your limit · resets 3pm (Europe/Berlin)", '2026-03-10T14:00:00.000Z'],
  ["You've hit your session limit · resets 1:15pm (UTC)", '2026-03-10T13:15:00.000Z'],
  ['5-hour limit reached ∙ resets 12am (UTC)', '2026-03-11T00:00:00.000Z'],
  ['try again at 12:30 PM (UTC)', '2026-03-11T12:30:00.000Z'],
  ["You've hit your usage limit. Try again in 3 hours 42 minutes.", '2026-03-10T16:12:20.000Z'],
  ['Try again in 2 days, 1 hour and 5 minutes.', '2026-03-12T13:35:20.000Z'],
  ['Rate limit reached for gpt-5. Please try again in 1.5s.', '2026-03-10T12:30:21.500Z'],
  ['Please try again in 250ms. Visit the page.', '2026-03-10T12:30:20.250Z'],
  ['Please retry in 34.07s.', '2026-03-10T12:30:54.070Z'],
  ['429 {"headers":{"retry-after":"30"}}', '2026-03-10T12:30:50.000Z'],
  ['Retry-After: 7', '2026-03-10T12:30:27.000Z'],
  ['exceeded retry limit, last status: 429 Too Many Requests', undefined],
  ['retry 2 of 10', undefined],
])('%j resets at %s', (message, expected) => {
  expect(readResetTime(message, NOW)?.toISOString()).toBe(expected);
});

test.each([
  [{ message: 'API Error: Request rejected (429)', statusCode: 429 }, {}],
  [{ message: "You've hit your usage limit." }, {}],
  [{ message: 'rate_limit_error: slow down' }, {}],
  [{ message: 'usage limit', statusCode: 500 }, undefined],
  [{ message: 'The tests fail.' }, undefined],
  [{ message: 'It reached its token limit.' }, undefined],
  [{ message: 'insufficient_quota: check your plan', statusCode: 429 }, undefined],
  [
    { message: 'You exceeded your quota, check your plan. Please retry in 1s.', statusCode: 429 },
    { resetsAt: new Date('2026-03-10T12:30:21.000Z') },
  ],
  [{ message: 'limit', statusCode: 429, resetsAt: NOW }, { resetsAt: NOW }],
])('%j is the limit %j', (error, expected) => {
  expect(readUsageLimit(error, NOW)).toEqual(expected);
});
