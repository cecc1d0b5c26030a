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
