import { expect, it } from 'vitest';
import type { NotificationListener } from '@truecast/store/internal/database/store';
import { Listeners } from '@truecast/store/internal/database/listeners';
import { chatHints, type ChatHints } from './chat-hints.ts';

it('notifies only the listeners of the changed chat', () => {
  const { hints, listeners } = hintsOf();
  const heard: string[] = [];
  hints.onChat('a', () => heard.push('a 1'));
  const leave = hints.onChat('a', () => heard.push('a 2'));
  hints.onChat('b', () => heard.push('b'));
  listeners.tell('chat', '["a",7,"running",null,[],"o"]');
  leave();
  leave();
  listeners.tell('chat', '["a",7,"running",null,[],"o"]');
  listeners.tell('chat', '["c",7,"running",null,[],"o"]');
  expect(heard).toEqual(['a 1', 'a 2', 'a 1']);
});

it('notifies all listeners after possibly missed changes', () => {
  const { hints, listeners } = hintsOf();
  const heard: string[] = [];
  hints.onChat('a', () => heard.push('a'));
  hints.onChat('b', () => heard.push('b'));
  listeners.tellMissed();
  expect(heard).toEqual(['a', 'b']);
});

it('has one shared subscription while any listener exists', () => {
  const { hints, subscribed } = hintsOf();
  const leaves = ['a', 'a', 'b'].map((chatId) => hints.onChat(chatId, () => undefined));
  expect([...subscribed]).toHaveLength(1);
  for (const leave of leaves) leave();
  expect([...subscribed]).toHaveLength(0);
  hints.onChat('a', () => undefined);
  expect([...subscribed]).toHaveLength(1);
});

it('passes the state of a commit, and none for a text that no process of Truecast sent', () => {
  const { hints, listeners } = hintsOf();
  const heard: unknown[] = [];
  hints.onChat('a', (notice) => heard.push(notice));
  listeners.tell('chat', '["a",7,"running","runner-1",["request-1"],"owner-1"]');
  listeners.tell('chat', 'a');
  listeners.tell('chat', '["a",7]');
  expect(heard).toEqual([
    { ownerId: 'owner-1', version: 7, status: 'running', runner: 'runner-1', ended: ['request-1'] },
    undefined,
    undefined,
  ]);
});

it('notifies the listeners of an owner with the changed chat, or without one if any can have changed', () => {
  const { hints, listeners, subscribed } = hintsOf();
  const heard: string[] = [];
  const leave = hints.onOwner('o', (chatId) => heard.push(chatId ?? 'any'));
  hints.onOwner('p', (chatId) => heard.push(`p ${chatId ?? 'any'}`))();
  listeners.tell('chat', '["a",7,"running",null,[],"o"]');
  listeners.tell('chat', '["b",7,"running",null,[],"other"]');
  listeners.tell('chat', 'a');
  listeners.tellMissed();
  expect(heard).toEqual(['a', 'any', 'any']);
  leave();
  expect([...subscribed]).toHaveLength(0);
});

/** Hints over the store's listeners, with the current subscribers. */
function hintsOf(): { hints: ChatHints; listeners: Listeners; subscribed: Set<NotificationListener> } {
  const listeners = new Listeners(() => undefined);
  const subscribed = new Set<NotificationListener>();
  const hints = chatHints({
    subscribe: (channel, listener) => {
      const leave = listeners.add(channel, listener);
      subscribed.add(listener);
      return () => {
        subscribed.delete(listener);
        leave();
      };
    },
    publish: () => Promise.resolve(),
  });
  return { hints, listeners, subscribed };
}
