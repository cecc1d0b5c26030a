import { expect, it } from 'vitest';
import { SharedBudget } from './shared-budget.ts';
import { createSpendLedger } from './spend-ledger.ts';
import { uncountedWarning } from './uncounted-budget.ts';

const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

it.each([
  [{ tokens: 5 }, undefined, 'tokens'],
  [{ usd: 5 }, undefined, 'usd'],
  [{ usd: 5 }, usage, 'usd'],
])('a turn that the budget does not include is reported: %j', (budget, used, limit) => {
  const turn = { usage: used, agent: 'x', egress: undefined };
  expect(uncountedWarning({ ...turn, budget })).toContain(`\`budget.${limit}\` does not include this turn`);
  const ledger = createSpendLedger({ budget, prices: undefined, onSpent: () => undefined });
  expect(uncountedWarning({ ...turn, budget: new SharedBudget(ledger) })).toContain(`\`budget.${limit}\``);
  // The proxy charges the maximum.
  expect(uncountedWarning({ ...turn, budget, egress: 'model' })).toBeUndefined();
});

it('a turn that is counted, or has no budget, is not reported', () => {
  const turn = { agent: 'x', egress: undefined };
  expect(uncountedWarning({ ...turn, usage, budget: { tokens: 5 } })).toBeUndefined();
  expect(uncountedWarning({ ...turn, usage: undefined, budget: undefined })).toBeUndefined();
  expect(uncountedWarning({ ...turn, usage: undefined, budget: { requests: 5 } })).toBeUndefined();
});
