import { describe, expect, it } from 'vitest';
import { createLimitWait, type LimitClock } from './limit-wait.ts';

const MINUTE = 60_000;

function fakeClock(): LimitClock & { readonly slept: number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep(ms) {
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

const open = (): AbortSignal => new AbortController().signal;

describe('the wait for a limit', () => {
  it('lasts until the reset that the agent reported', async () => {
    const clock = fakeClock();
    const wait = createLimitWait(60 * MINUTE, clock);
    const time = wait.plan(new Date(5 * MINUTE));
    expect(time).toEqual(new Date(5 * MINUTE));
    await wait.waitUntil(time ?? new Date(), open());
    expect(clock.slept).toEqual([5 * MINUTE]);
  });

  it('grows if the reset is unknown, to half an hour', async () => {
    const clock = fakeClock();
    const wait = createLimitWait(24 * 60 * MINUTE, clock);
    for (let count = 0; count < 7; count += 1) {
      await wait.waitUntil(wait.plan(undefined) ?? new Date(0), open());
    }
    expect(clock.slept.map((ms) => ms / MINUTE)).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('grows if the reset has passed, so that the agent is not restarted in a loop', async () => {
    const clock = fakeClock();
    const wait = createLimitWait(60 * MINUTE, clock);
    for (let count = 0; count < 3; count += 1) {
      await wait.waitUntil(wait.plan(new Date(0)) ?? new Date(0), open());
    }
    expect(clock.slept).toEqual([1000, 2000, 4000]);
  });

  it('is refused once all waits together exceed the maximum', () => {
    const wait = createLimitWait(10 * MINUTE, fakeClock());
    expect(wait.plan(new Date(11 * MINUTE))).toBeUndefined();
    expect(wait.plan(new Date(6 * MINUTE))).toBeDefined();
    expect(wait.plan(new Date(6 * MINUTE))).toBeUndefined();
  });

  it('of a month is slept in pieces that a timer can hold', async () => {
    const clock = fakeClock();
    const month = 30 * 24 * 60 * MINUTE;
    const wait = createLimitWait(2 * month, clock);
    await wait.waitUntil(wait.plan(new Date(month)) ?? new Date(), open());
    expect(clock.slept).toHaveLength(30);
  });

  it('ends with the reason of the signal', async () => {
    const wait = createLimitWait(60 * MINUTE);
    const controller = new AbortController();
    const waiting = wait.waitUntil(new Date(Date.now() + 50 * MINUTE), controller.signal);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
  });
});
