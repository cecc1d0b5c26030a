import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Listeners } from './database/listeners.ts';
import type { Store } from './database/store.ts';
import { watchEvents } from './watch-events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ['sqlite', 4],
  ['postgres', 0],
] as const)('on %s, a second without a notification has %i polls', (dialect, polls) => {
  const listeners = new Listeners(() => undefined);
  const notifications = { subscribe: listeners.add.bind(listeners), publish: async () => undefined };
  const seen = vi.fn<() => void>();
  const stop = watchEvents({ dialect, notifications } as unknown as Store, seen);
  vi.advanceTimersByTime(1_000);
  expect(seen).toHaveBeenCalledTimes(polls);
  listeners.tell('events', '');
  expect(seen).toHaveBeenCalledTimes(polls + 1);
  stop();
  listeners.tell('events', '');
  vi.advanceTimersByTime(1_000);
  expect(seen).toHaveBeenCalledTimes(polls + 1);
});
