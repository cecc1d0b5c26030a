import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scheduleWork } from './schedule-work.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('calls at once and at each interval, and leaves out a call while one runs', async () => {
  const ends: (() => void)[] = [];
  const work = vi.fn<() => Promise<void>>(() => new Promise((resolve) => ends.push(resolve)));
  const stop = scheduleWork(100, work);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(250);
  expect(work).toHaveBeenCalledTimes(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(work).toHaveBeenCalledTimes(2);
  const hasStopped = vi.fn<() => void>();
  void stop().then(hasStopped);
  await vi.advanceTimersByTimeAsync(500);
  expect(hasStopped).not.toHaveBeenCalled();
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(500);
  expect(hasStopped).toHaveBeenCalledTimes(1);
  expect(work).toHaveBeenCalledTimes(2);
});
