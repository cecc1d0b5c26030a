import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inTime } from '../../process/bounded-waits.ts';
import { abortDeadline } from './deadlines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = (): Promise<never> => new Promise(() => undefined);

test('a task that never settles ends at its time', async () => {
  const waiting = inTime<string>(never(), 1000, () => 'late');
  await vi.advanceTimersByTimeAsync(1000);
  expect(await waiting).toBe('late');
});

test('a task in time keeps its result and its error, and leaves no timer', async () => {
  expect(await inTime(Promise.resolve('done'), 1000, () => 'late')).toBe('done');
  await expect(inTime(Promise.reject(new RangeError('x')), 1000, () => 'late')).rejects.toThrow('x');
  expect(vi.getTimerCount()).toBe(0);
});

test('all tasks after an abort share one deadline', async () => {
  const controller = new AbortController();
  const within = abortDeadline(controller.signal, 1000, () => new RangeError('late'));
  await vi.advanceTimersByTimeAsync(5000);
  expect(await within(Promise.resolve('before'))).toBe('before');
  controller.abort();
  await vi.advanceTimersByTimeAsync(600);
  expect(await within(Promise.resolve('first'))).toBe('first');
  const second = expect(within(never())).rejects.toThrow('late');
  await vi.advanceTimersByTimeAsync(400);
  await second;
  const third = expect(within(never())).rejects.toThrow('late');
  await vi.advanceTimersByTimeAsync(0);
  await third;
  expect(vi.getTimerCount()).toBe(0);
});
