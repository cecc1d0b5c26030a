/** Wakes the listeners of a chat after commits, behind one store subscription. */
import type { Notifications } from '@truecast/store/internal/database/store';
import { readChatNotice, type ChatNotice } from './rows/chat-notice.ts';
import { CHAT_CHANNEL } from './rows/machine-context.ts';

/** Called after a commit of a chat. Without a notice, read the rows. */
export type ChatListener = (notice?: ChatNotice) => void;

/** Change hints of chats. They can be lost. */
export interface ChatHints {
  /** Calls `listener` after commits of the chat. Returns the unsubscribe function. */
  readonly onChat: (chatId: string, listener: ChatListener) => () => void;
}

/** Creates the hints of a store. Subscribed to the store while there are listeners. */
export function chatHints(notifications: Notifications): ChatHints {
  const byChat = new Map<string, Set<ChatListener>>();
  let unsubscribe: (() => void) | undefined;
  const tell = (changed: string | undefined): void => {
    const change = changed === undefined ? undefined : readChatNotice(changed);
    const told = change === undefined ? Array.from(byChat.values()) : [byChat.get(change.chatId)];
    for (const listeners of told) listeners?.forEach((listener) => listener(change?.notice));
  };
  return {
    onChat: (chatId, listener) => {
      // Wrapped, so that one function can listen twice.
      const entry: ChatListener = (notice) => listener(notice);
      const listeners = byChat.get(chatId) ?? new Set();
      byChat.set(chatId, listeners.add(entry));
      unsubscribe ??= notifications.subscribe(CHAT_CHANNEL, tell);
      return () => {
        listeners.delete(entry);
        if (listeners.size === 0 && byChat.get(chatId) === listeners) byChat.delete(chatId);
        if (byChat.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
      };
    },
  };
}
