/** Owns hints within one process: those who write tell those who stream. */
import type { LiveEvent } from '../../contract/wire/stream-wire.ts';
import type { LiveHints } from '../server-parts.ts';

/** Hints that can be published too. */
export interface LocalLiveHints extends LiveHints {
  publish(chatId: string, event: LiveEvent): void;
}

/** Makes hints for one process. */
export function createLiveHints(): LocalLiveHints {
  const byChat = new Map<string, Set<(event: LiveEvent) => void>>();
  return {
    subscribe(chatId, listener) {
      const listeners = byChat.get(chatId) ?? new Set();
      byChat.set(chatId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) byChat.delete(chatId);
      };
    },
    publish(chatId, event) {
      for (const listener of byChat.get(chatId) ?? []) listener(event);
    },
  };
}
