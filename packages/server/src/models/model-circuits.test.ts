import { expect, it } from 'vitest';
import { ModelCircuits } from './model-circuits.ts';

function circuitAt(): { readonly clock: { nowMs: number }; readonly circuits: ModelCircuits } {
  const clock = { nowMs: 0 };
  return { clock, circuits: new ModelCircuits(() => clock.nowMs) };
}

function openIt(circuits: ModelCircuits, model = 'a'): void {
  for (let failures = 0; failures < 5; failures += 1) circuits.fail(model);
}

it('opens after five failures in a row, for this model only', () => {
  const { circuits } = circuitAt();
  for (let failures = 0; failures < 4; failures += 1) circuits.fail('a');
  circuits.succeed('a');
  for (let failures = 0; failures < 4; failures += 1) circuits.fail('a');
  expect([circuits.admit('a'), circuits.state('a')]).toEqual([0, 'closed']);
  circuits.fail('a');
  expect([circuits.admit('a'), circuits.state('a'), circuits.state('b')]).toEqual([60_000, 'open', 'closed']);
  expect([circuits.list(), circuits.countOpen()]).toEqual([[{ model: 'a', state: 'open' }], 1]);
});

it('costs at most one call a minute in an hour, whoever asks', () => {
  const { clock, circuits } = circuitAt();
  openIt(circuits);
  let calls = 0;
  for (; clock.nowMs < 3_600_000; clock.nowMs += 500) {
    for (let chat = 0; chat < 20; chat += 1) {
      if (circuits.admit('a') > 0) continue;
      calls += 1;
      if (chat % 2 === 0) circuits.fail('a');
    }
  }
  expect(calls).toBe(59);
});

it('closes with the first answer, and waits as long as the service asks', () => {
  const { clock, circuits } = circuitAt();
  openIt(circuits);
  circuits.fail('a', 200_000);
  clock.nowMs += 199_999;
  expect(circuits.admit('a')).toBe(1);
  clock.nowMs += 1;
  expect([circuits.state('a'), circuits.admit('a'), circuits.admit('a')]).toEqual(['probing', 0, 60_000]);
  circuits.succeed('a');
  expect([circuits.admit('a'), circuits.countOpen()]).toEqual([0, 0]);
});
