import { expect, it, vi } from 'vitest';
import { Places } from './places.ts';

it('keeps a free slot for work that waits for one', () => {
  const places = new Places(1);
  let isWaiting = true;
  places.onFree(
    () => undefined,
    () => isWaiting,
  );
  expect(places.takeUnclaimed()).toBe(false);
  isWaiting = false;
  expect(places.takeUnclaimed()).toBe(true);
  expect(places.takeUnclaimed()).toBe(false);
  places.giveBack();
  places.close();
  expect(places.takeUnclaimed()).toBe(false);
});

it('gives as many slots beyond the limit as it has, and the next work waits for all of them', () => {
  const places = new Places(2);
  expect([places.take(5), places.takeBeyond(), places.takeBeyond(), places.takeBeyond()]).toEqual([
    2,
    true,
    true,
    false,
  ]);
  places.giveBack(2);
  expect([places.take(1), places.takeBeyond()]).toEqual([0, true]);
  places.giveBack(3);
  expect([places.take(5), places.takeBeyond()]).toEqual([2, true]);
  places.close();
  expect(places.takeBeyond()).toBe(false);
});

it('tells listeners of a free slot, and none of a slot that returning work gets', async () => {
  const places = new Places(1);
  const listener = vi.fn<() => void>();
  places.onFree(listener, () => false);
  places.take(1);
  const order: string[] = [];
  const { signal } = new AbortController();
  const back = places.comeBack(signal).then(() => order.push('back'));
  places.giveBack();
  await back;
  expect([listener.mock.calls.length, places.take(1)]).toEqual([0, 0]);
  places.giveBack();
  expect(listener).toHaveBeenCalledTimes(1);
  await places.comeBack(signal);
  expect(places.take(1)).toBe(0);
});

it('work that is aborted while it waits gets a slot beyond the limit, once', async () => {
  const places = new Places(1);
  places.take(1);
  const controller = new AbortController();
  const waiting = places.comeBack(controller.signal);
  controller.abort();
  await waiting;
  await places.comeBack(AbortSignal.abort());
  places.giveBack(2);
  expect(places.take(1)).toBe(0);
  places.giveBack();
  expect(places.take(5)).toBe(1);
});
