import { expect, it, vi } from 'vitest';
import { encodeNotice, Listeners } from './listeners.ts';

it('tells every listener of a channel, also one that is there twice, until it leaves', () => {
  const listeners = new Listeners(() => undefined);
  const heard = vi.fn<(payload: string | undefined) => void>();
  const leaves = [listeners.add('a', heard), listeners.add('a', heard), listeners.add('b', heard)];
  listeners.tell('a', '1');
  expect(heard.mock.calls).toEqual([['1'], ['1']]);
  leaves[0]?.();
  listeners.tell('a', '2');
  expect(heard.mock.calls.slice(2)).toEqual([['2']]);
  listeners.tellMissed();
  expect(heard.mock.calls.slice(3)).toEqual([[undefined], [undefined]]);
  for (const leave of leaves) leave();
  listeners.tell('a', '3');
  listeners.tellMissed();
  expect(heard).toHaveBeenCalledTimes(5);
});

it('an old listener that leaves again does not remove a new one', () => {
  const listeners = new Listeners(() => undefined);
  const heard = vi.fn<() => void>();
  const leave = listeners.add('a', () => undefined);
  leave();
  listeners.add('a', heard);
  leave();
  listeners.tell('a', '');
  expect(heard).toHaveBeenCalledTimes(1);
});

it('goes on after a listener that throws, with a warning', () => {
  const warn = vi.fn<() => void>();
  const listeners = new Listeners(warn);
  const cause = new Error('no');
  const heard = vi.fn<() => void>();
  listeners.add('a', () => {
    throw cause;
  });
  listeners.add('a', heard);
  listeners.tell('a', '');
  expect(heard).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledWith({ message: 'A listener on the channel `a` threw an error', cause });
});

it('a notification has at most 7,000 bytes as JSON', () => {
  const payload = 'é'.repeat(3_496);
  expect(JSON.parse(encodeNotice('a', payload))).toEqual(['a', payload]);
  expect(() => encodeNotice('a', `${payload}é`)).toThrow('at most 7000 bytes as JSON, got 7002');
});
