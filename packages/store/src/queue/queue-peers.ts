/** Other processes that work on the same queue. Each announces itself every two seconds. */
import { randomUUID } from 'node:crypto';
import type { Notifications } from '../database/store.ts';

const ANNOUNCE_MS = 2_000;
/** Two announcements can be lost. */
const FORGET_MS = 3 * ANNOUNCE_MS;

export interface QueuePeers {
  /** Returns true if another process announced itself recently. */
  any(): boolean;
  close(): void;
}

/** Announces this process on a channel, and listens for others. On SQLite it hears none. */
export function queuePeers(notifications: Notifications, channel: string): QueuePeers {
  const own = randomUUID();
  let heardMs = Number.NEGATIVE_INFINITY;
  const any = (): boolean => performance.now() - heardMs < FORGET_MS;
  // A failure is ignored, because the next announcement follows.
  const announce = (): void => void notifications.publish(channel, own).catch(() => {});
  const leave = notifications.subscribe(channel, (payload) => {
    if (payload === undefined || payload === own) return;
    const isFirst = !any();
    heardMs = performance.now();
    // A process that has just started learns of this one at once.
    if (isFirst) announce();
  });
  announce();
  const timer = setInterval(announce, ANNOUNCE_MS);
  return {
    any,
    close: () => {
      clearInterval(timer);
      leave();
    },
  };
}
