import { afterEach, expect, it, vi } from 'vitest';
import { WaitingChats } from './waiting-chats.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('contains a chat once, in the order of arrival', () => {
  const waiting = new WaitingChats();
  for (const chatId of ['a1', 'b1', 'a1']) waiting.add(chatId, chatId[0], false);
  expect([waiting.first, waiting.delete('a1'), waiting.first]).toEqual(['a1', 'a', 'b1']);
  expect([waiting.delete('b1'), waiting.first]).toEqual(['b', undefined]);
});

it('are due for the queue at once, then after times that double, and later if a sweep found them', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const waiting = new WaitingChats();
  waiting.add('new', 'a', false);
  waiting.add('found', undefined, true);
  const due: string[] = [];
  for (let seconds = 0; seconds <= 12; seconds += 1) {
    for (const chatId of waiting.due()) due.push(`${chatId} ${seconds}`);
    vi.advanceTimersByTime(1_000);
  }
  expect(due).toEqual(['new 0', 'new 4', 'found 4', 'found 8', 'new 12']);
});

it('are not due in a pass that began before they arrived', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const waiting = new WaitingChats();
  waiting.add('first', 'a', false);
  const pass = waiting.due();
  expect(pass.next().value).toBe('first');
  vi.advanceTimersByTime(1);
  waiting.add('later', 'a', false);
  expect(pass.next().done).toBe(true);
  expect([...waiting.due()]).toEqual(['later']);
});

it('forget chats that have a worker elsewhere, but none that arrived later', () => {
  const waiting = new WaitingChats();
  for (const chatId of ['gone', 'left']) waiting.add(chatId, chatId, false);
  waiting.keepOnly(new Set(['left']), 0);
  expect(waiting.first).toBe('gone');
  waiting.keepOnly(new Set(['left']), Infinity);
  expect([waiting.first, waiting.isIdle('gone'), waiting.isIdle('left')]).toEqual(['left', true, false]);
});

it('know an owner as idle without a chat that runs or waits', () => {
  const waiting = new WaitingChats();
  waiting.add('a1', 'a', false);
  expect([waiting.isIdle('a'), waiting.isIdle('b')]).toEqual([false, true]);
  const ends = [waiting.countTurn(waiting.delete('a1')), waiting.countTurn('a')];
  expect([waiting.isIdle('a'), waiting.isAlone('a')]).toEqual([false, false]);
  ends.pop()?.();
  expect([waiting.isIdle('a'), waiting.isAlone('a')]).toEqual([false, true]);
  ends.pop()?.();
  expect([waiting.isIdle('a'), waiting.isAlone('a')]).toEqual([true, false]);
});
