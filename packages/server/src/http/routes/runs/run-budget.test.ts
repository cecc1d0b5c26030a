/** Tests of the budget of a run, and of the answer to a spent budget of a day. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { expect, it } from 'vitest';
import { problemResponse } from '../../problem-response.ts';
import { withBudget } from './run-budget.ts';

const request = { repository: 'web', agent: 'codex', prompt: 'Fix it.' };

it.each([
  [undefined, undefined, undefined],
  [undefined, { default: { tokens: 5 } }, { tokens: 5 }],
  [undefined, { maximum: { usd: 2 } }, { usd: 2 }],
  [undefined, { default: { usd: 5 }, maximum: { usd: 2 } }, { usd: 2 }],
  [{ tokens: 7, executions: 1 }, { default: { tokens: 5 } }, { tokens: 7, executions: 1 }],
  [{ tokens: 7 }, { maximum: { tokens: 7, usd: 1 } }, { tokens: 7, usd: 1 }],
] as const)('limits of %j with the budget %j are %j', (limits, budget, expected) => {
  const asked = { ...request, ...(limits !== undefined && { limits }) };
  const found = withBudget(asked, budget === undefined ? undefined : { budget });
  expect(found.limits).toEqual(expected);
});

it('a limit above the maximum is refused', () => {
  const asked = { ...request, limits: { usd: 3 } };
  const refused = () => withBudget(asked, { budget: { maximum: { usd: 2 } } });
  expect(refused).toThrow('`limits`: Must be at most 2, the maximum of this server.');
});

it('a spent budget of a day is answered with 429 and the time of the next day', () => {
  const error = new ChatStateError('Spent.', { code: 'budget-spent', resetsAt: Date.now() + 60_000 });
  const response = problemResponse(error, 'r1');
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
});
