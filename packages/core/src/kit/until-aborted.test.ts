import { expect, it, vi } from 'vitest';
import { untilAborted } from './until-aborted.ts';

it('settles with the work, and forgets the signal', async () => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
  expect(removed).toHaveBeenCalledTimes(1);
  await expect(untilAborted(Promise.reject(new RangeError('x')), signal)).rejects.toThrow('x');
});

it.each(['before', 'during'])(
  'rejects with the reason of a signal that is aborted %s the work',
  async (when) => {
    const ending = new AbortController();
    if (when === 'before') ending.abort(new RangeError('enough'));
    const work = Promise.withResolvers<number>();
    const ended = untilAborted(work.promise, ending.signal);
    ending.abort(new RangeError('enough'));
    await expect(ended).rejects.toThrow('enough');
    // An unhandled rejection would fail this file.
    work.reject(new RangeError('late'));
    await new Promise((resolve) => setImmediate(resolve));
  },
);
