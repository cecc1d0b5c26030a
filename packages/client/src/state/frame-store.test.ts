import { afterEach, expect, it, vi } from 'vitest';
import { FrameStore } from './frame-store.ts';

afterEach(() => vi.unstubAllGlobals());

it('takes each change at once, and tells its readers once per frame', () => {
  const frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => frames.push(callback));
  const store = new FrameStore(0);
  let told = 0;
  const leave = store.subscribe(() => (told += 1));
  for (let change = 0; change < 100; change += 1) store.change((value) => value + 1);
  expect({ shown: store.get(), told, frames: frames.length }).toEqual({ shown: 0, told: 0, frames: 1 });
  frames.shift()?.();
  expect({ shown: store.get(), told }).toEqual({ shown: 100, told: 1 });
  leave();
  store.change((value) => value + 1);
  frames.shift()?.();
  expect({ shown: store.get(), told }).toEqual({ shown: 101, told: 1 });
});
