/** React hook that follows a chat. */
import { useEffect, useState } from 'react';
import type { ClientChat } from '../client-chat.ts';
import { EMPTY_CHAT, foldChatEvent, type FoldedChat } from '../state/folded-chat.ts';

/** The followed chat. */
export interface FollowedChat extends FoldedChat {
  /** Why the chat is followed no more: it was deleted, or the token was revoked. */
  readonly error?: unknown;
}

/**
 * Follows an existing chat while the component is mounted. Lost connections are opened again.
 *
 * Keep `chat` between renders, for example with `useMemo`. Undefined follows nothing.
 *
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const chat = client.chat({ id: 'd6c3b975-6629-4881-ac66-6252f6613c83' });
 * // In a component.
 * const { messages, receipts, drafts, status } = useChatEvents(chat);
 * console.log(status, messages.length, receipts, drafts);
 * ```
 */
export function useChatEvents(chat: ClientChat | undefined): FollowedChat {
  const [state, setState] = useState<FollowedChat>(EMPTY_CHAT);
  useEffect(() => {
    setState(EMPTY_CHAT);
    if (chat === undefined) return undefined;
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      try {
        for await (const { event } of chat.events({ signal: leaving.signal })) {
          setState((current) => foldChatEvent(current, event));
        }
      } catch (error) {
        if (!leaving.signal.aborted) setState((current) => ({ ...current, error }));
      }
    };
    void follow();
    return () => leaving.abort();
  }, [chat]);
  return state;
}
