/** Tests of the pacing of models: who is woken, when, and in which order. */
import { expect, it } from 'vitest';
import { ModelPacing, type PacingChange } from './model-pacing.ts';
import { manualClock } from './test-pacing-clock.ts';

const caller = (owner: string, request: string, model = 'a') => ({ model, owner, request });

function open() {
  const clock = manualClock();
  const changes: PacingChange[] = [];
  const pacing = new ModelPacing({ clock, onChange: (change) => changes.push(change) });
  const woken: string[] = [];
  /** Asks for a call, and waits if it is not allowed. */
  const ask = (owner: string, request: string): boolean => {
    const asked = caller(owner, request);
    const admission = pacing.admit(asked);
    if (!admission.isAllowed) pacing.wait(asked, admission, () => woken.push(`${owner} ${request}`));
    return admission.isAllowed;
  };
  return { clock, changes, pacing, woken, ask };
}

it('wakes all that wait for a rate limit when it ends, four first, and none before', () => {
  const { clock, changes, pacing, woken, ask } = open();
  const requests = ['1', '2', '3', '4', '5', '6'];
  for (const request of requests) expect(ask('anna', request)).toBe(true);
  for (const request of requests) pacing.limit(caller('anna', request), 1_000);
  for (const request of requests) expect(ask('anna', request)).toBe(false);
  expect(changes).toEqual([{ model: 'a', change: 'limited', waitMs: 1_000 }]);
  clock.advance(999);
  expect([woken, clock.timers]).toEqual([[], 1]);
  clock.advance(1);
  expect(woken).toEqual(['anna 1', 'anna 2', 'anna 3', 'anna 4']);
  clock.advance(1_000);
  expect([woken.slice(4), clock.timers]).toEqual([['anna 5', 'anna 6'], 0]);
  expect(pacing.countOpen()).toBe(0);
});

it('lets the owners take turns, however many calls of one wait', () => {
  const { clock, pacing, woken, ask } = open();
  pacing.limit(caller('anna', '0'), 1_000);
  for (let request = 1; request <= 100; request += 1) ask('anna', `${request}`);
  ask('bob', '1');
  clock.advance(1_000);
  expect(woken).toEqual(['anna 1', 'bob 1', 'anna 2', 'anna 3']);
});

it('allows the call of a woken caller once, and says how long it waited and for what', () => {
  const { clock, pacing, ask } = open();
  pacing.limit(caller('anna', '0'), 1_000);
  for (const request of ['1', '2', '3', '4', '5']) ask('anna', request);
  clock.advance(1_500);
  expect(pacing.admit(caller('anna', '1'))).toEqual({
    isAllowed: true,
    wait: { waitedMs: 1_000, waitedFor: 'rate_limit' },
  });
  expect(pacing.admit(caller('anna', '1'))).toMatchObject({ isAllowed: false, cause: 'rate_limit' });
});

it('counts the whole wait of a caller that asks again before its turn', () => {
  const { clock, pacing, ask } = open();
  pacing.limit(caller('anna', '0'), 60_000);
  ask('anna', '1');
  clock.advance(30_000);
  ask('anna', '1');
  clock.advance(30_000);
  expect(pacing.admit(caller('anna', '1'))).toMatchObject({ wait: { waitedMs: 60_000 } });
});

it('counts no rate limit as a failure', () => {
  const { clock, pacing } = open();
  for (let request = 0; request < 20; request += 1) pacing.limit(caller(`${request}`, `${request}`), 1_000);
  expect([pacing.countOpen(), pacing.list()]).toEqual([
    0,
    [{ model: 'a', state: 'closed', isLimited: true }],
  ]);
  clock.advance(1_000);
  expect(pacing.peek(caller('x', 'x')).isAllowed).toBe(true);
  expect(pacing.list()).toMatchObject([{ isLimited: false }]);
});

it('gives the probe to a request that did not fail, and wakes all others after its answer', () => {
  const { clock, changes, pacing, woken, ask } = open();
  const failed = ['1', '2', '3'].map((request) => caller('anna', request));
  for (const each of failed) pacing.fail(each);
  for (const request of ['1', '2', '3', '4', '5']) expect(ask('anna', request)).toBe(false);
  clock.advance(2_000);
  expect(woken).toEqual(['anna 4']);
  expect(pacing.admit(caller('anna', '4'))).toMatchObject({ wait: { waitedFor: 'outage', waitedMs: 2_000 } });
  pacing.succeed(caller('anna', '4'));
  expect(woken.slice(1)).toEqual(['anna 1', 'anna 2', 'anna 3', 'anna 5']);
  expect(changes.map(({ change }) => change)).toEqual(['circuit_opened', 'circuit_closed']);
});

it("leaves the calls of other owners and models alone while one owner's requests fail", () => {
  const { pacing, ask } = open();
  for (const request of ['1', '2', '3']) pacing.fail(caller('mallory', request));
  expect([ask('mallory', '4'), ask('bob', '1')]).toEqual([false, true]);
  expect(pacing.peek(caller('mallory', '4', 'b')).isAllowed).toBe(true);
});

it('closes an open circuit on a rate limit, and wakes nobody before its end', () => {
  const { clock, pacing, woken, ask } = open();
  for (const request of ['1', '2', '3']) pacing.fail(caller('anna', request));
  ask('anna', '4');
  pacing.limit(caller('bob', '1'), 5_000);
  expect([pacing.countOpen(), woken]).toEqual([0, []]);
  clock.advance(5_000);
  expect(woken).toEqual(['anna 4']);
});

it('wakes no caller whose wait ended', () => {
  const { clock, pacing, woken } = open();
  pacing.limit(caller('anna', '0'), 1_000);
  const admission = pacing.admit(caller('anna', '1'));
  if (admission.isAllowed) throw new TypeError('The gate is open.');
  pacing.wait(caller('anna', '1'), admission, () => woken.push('1'))();
  clock.advance(10_000);
  expect(woken).toEqual([]);
});
