import { expect, it } from 'vitest';
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
