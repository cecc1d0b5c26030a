import { expect, it } from 'vitest';
import type { NotificationListener } from '../database/store.ts';
import { queuePeers } from './queue-peers.ts';

it('hear each other at once, and count the announcements', async () => {
  const listeners = new Set<NotificationListener>();
  let published = 0;
  const notifications = {
    subscribe: (_: string, listener: NotificationListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    publish: async (_: string, payload: string) => {
      published += 1;
      for (const listener of listeners) listener(payload);
    },
  };
  const first = queuePeers(notifications, 'queue');
  expect(first.any()).toBe(false);
  const second = queuePeers(notifications, 'queue');
  expect([first.any(), second.any()]).toEqual([true, true]);
  // One for each start, and an answer of each to the first announcement that it hears.
  expect(published).toBe(4);
  first.close();
  second.close();
  expect(listeners.size).toBe(0);
});
