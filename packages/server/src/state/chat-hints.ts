/** Wakes the listeners of a chat or an owner after commits, behind one store subscription. */
import type { Notifications } from '@truecast/store/internal/database/store';
import { readChatNotice, type ChatNotice } from './rows/chat-notice.ts';
import { CHAT_CHANNEL } from './rows/machine-context.ts';
import { ListenerTable } from './listener-table.ts';

/** Called after a commit of a chat. Without a notice, read the rows. */
export type ChatListener = (notice?: ChatNotice) => void;

/**
 * Called after a commit of one of an owner's chats. Without an id, any chat of the owner can have
 * changed.
 */
export type OwnerListener = (chatId?: string) => void;

/** Change hints of chats. They can be lost. */
export interface ChatHints {
  /** Calls `listener` after commits of the chat. Returns the unsubscribe function. */
  readonly onChat: (chatId: string, listener: ChatListener) => () => void;
  /** Calls `listener` after commits of the owner's chats. Returns the unsubscribe function. */
  readonly onOwner: (owner: string, listener: OwnerListener) => () => void;
}

/** Creates the hints of a store. Subscribed to the store while there are listeners. */
export function chatHints(notifications: Notifications): ChatHints {
  const byChat = new ListenerTable<ChatNotice>();
  const byOwner = new ListenerTable<string>();
  let unsubscribe: (() => void) | undefined;
  const tell = (changed: string | undefined): void => {
    const change = changed === undefined ? undefined : readChatNotice(changed);
    if (change === undefined) {
      byChat.tellAll();
      byOwner.tellAll();
      return;
    }
    byChat.tell(change.chatId, change.notice);
    byOwner.tell(change.notice.ownerId, change.chatId);
  };
  const listen = <T>(table: ListenerTable<T>, key: string, listener: (value?: T) => void): (() => void) => {
    const remove = table.add(key, listener);
    unsubscribe ??= notifications.subscribe(CHAT_CHANNEL, tell);
    return () => {
      remove();
      if (byChat.size + byOwner.size > 0) return;
      unsubscribe?.();
      unsubscribe = undefined;
    };
  };
  return {
    onChat: (chatId, listener) => listen(byChat, chatId, listener),
    onOwner: (owner, listener) => listen(byOwner, owner, listener),
  };
}
