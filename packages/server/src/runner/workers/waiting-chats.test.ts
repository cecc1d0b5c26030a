import { expect, it } from 'vitest';
import { WaitingChats } from './waiting-chats.ts';

function waitingFor(...chats: readonly (readonly [string, string])[]): WaitingChats {
  const waiting = new WaitingChats();
  for (const [chatId, owner] of chats) waiting.add({ chatId, owner });
  return waiting;
}

/** Takes and starts every chat. Returns their order. */
function startAll(waiting: WaitingChats): string[] {
  const order: string[] = [];
  for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
    waiting.delete(next);
    waiting.countTurn(next);
    order.push(next.chatId);
  }
  return order;
}

it('gives slots to the owner with the fewest turns, and keeps the order of each owner', () => {
  const waiting = waitingFor(['a1', 'a'], ['a2', 'a'], ['a3', 'a'], ['b1', 'b'], ['b2', 'b']);
  waiting.countTurn({ chatId: 'a0', owner: 'a' });
  expect(startAll(waiting)).toEqual(['b1', 'a1', 'b2', 'a2', 'a3']);
  expect(waiting.isEmpty).toBe(true);
});

it('alternates between owners when each turn ends before the next one starts', () => {
  const waiting = waitingFor(['a1', 'a'], ['a2', 'a'], ['b1', 'b'], ['b2', 'b']);
  const order: string[] = [];
  for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
    waiting.delete(next);
    waiting.countTurn(next)();
    order.push(next.chatId);
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
});

it('contains a chat once, until it is removed with those that arrived as early', () => {
  const waiting = waitingFor(['a1', 'a'], ['b1', 'b'], ['a1', 'a']);
  expect([waiting.has('a1'), waiting.has('c1')]).toEqual([true, false]);
  expect(waiting.takeArrivedBefore(0)).toEqual([]);
  expect(waiting.takeArrivedBefore(Infinity).map(({ chatId }) => chatId)).toEqual(['a1', 'b1']);
  expect(waiting.next()).toBeUndefined();
});

it('knows an owner as idle without a chat that runs, waits or is in the queue', () => {
  const waiting = waitingFor(['a1', 'a']);
  expect([waiting.isIdle('a'), waiting.isIdle('b')]).toEqual([false, true]);
  waiting.takeArrivedBefore(Infinity);
  expect(waiting.isIdle('a')).toBe(false);
  // A job names no owner.
  const end = waiting.countTurn({ chatId: 'a1', owner: undefined });
  expect([waiting.isIdle('a'), waiting.isAlone('a')]).toEqual([false, true]);
  end();
  expect([waiting.isIdle('a'), waiting.isAlone('a')]).toEqual([true, false]);
});

it('keeps chats that no other process can take', () => {
  const waiting = waitingFor(['a1', 'a'], ['b1', 'b']);
  const taken = waiting.takeArrivedBefore(Infinity, (chatId) => chatId === 'a1');
  expect([taken.map(({ chatId }) => chatId), waiting.has('a1')]).toEqual([['b1'], true]);
});
