/** Tests of a rate gate: until when it is closed, and how many calls follow. */
import { expect, it } from 'vitest';
import { RateGate } from './rate-gate.ts';

/** Calls that are allowed at a time. */
function callsAt(gate: RateGate, nowMs: number): number {
  let calls = 0;
  for (; calls < 10_000 && gate.waitMs(nowMs) === 0; calls += 1) gate.begin();
  return calls;
}

it('is open without a limit, for any number of calls', () => {
  expect(callsAt(new RateGate(), 0)).toBe(10_000);
});

it('is closed until the time that the service asked for, and the latest one counts', () => {
  const gate = new RateGate();
  gate.close(0, 1_000);
  gate.close(100, 3_000);
  gate.close(200, 500);
  expect([gate.waitMs(200), gate.isClosed(3_099), gate.waitMs(3_100)]).toEqual([2_900, true, 0]);
});

it('allows twice as many calls each second after it opens, and then any number', () => {
  const gate = new RateGate();
  gate.close(0, 1_000);
  const calls = [1_000, 1_500, 2_000, 3_000, 4_000].map((nowMs) => callsAt(gate, nowMs));
  expect(calls).toEqual([4, 0, 8, 16, 32]);
  expect(gate.waitMs(4_400)).toBe(600);
  expect(callsAt(gate, 8_000)).toBe(10_000);
});

it('waits longer each time that the service limits it without a delay, and five minutes at most', () => {
  const gate = new RateGate();
  const waits: number[] = [];
  let nowMs = 0;
  for (let limits = 0; limits < 8; limits += 1) {
    gate.close(nowMs, undefined);
    waits.push(gate.waitMs(nowMs));
    nowMs += gate.waitMs(nowMs);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  gate.close(nowMs, 3_600_000);
  expect(gate.waitMs(nowMs)).toBe(300_000);
});

it('starts again with a second after a complete ramp', () => {
  const gate = new RateGate();
  gate.close(0, undefined);
  gate.close(1_000, undefined);
  gate.close(20_000, undefined);
  expect(gate.waitMs(20_000)).toBe(1_000);
});
