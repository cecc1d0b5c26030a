/** React hook that follows a chat. */
import type { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { FollowOptions } from '../chat-events.ts';
import type { ClientChat } from '../client-chat.ts';
import { EMPTY_CHAT, foldChatEvent, type FoldedChat } from '../state/folded-chat.ts';
import { FrameStore } from '../state/frame-store.ts';
import { shownError } from './shown-error.ts';

/** The followed chat. */
export interface FollowedChat extends FoldedChat {
  /** Why the chat is followed no more: it was deleted, or the token was revoked. */
  readonly error?: TruecastError;
}

/**
 * Follows an existing chat while the component is mounted. Lost connections are opened again. The
 * component renders at most once per frame, however fast events come.
 *
 * Keep `chat` between renders, for example with `useMemo`. Undefined follows nothing. With
 * `{ partials: 'text' }`, read growing values from `answer` instead of `drafts`.
 *
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const chat = client.chat({ id: 'd6c3b975-6629-4881-ac66-6252f6613c83' });
 * // In a component.
 * const { messages, receipts, drafts, status } = useChatEvents(chat);
 * console.log(status, messages.length, receipts, drafts);
 * ```
 * @public
 */
export function useChatEvents(
  chat: ClientChat | undefined,
  { partials, values }: Pick<FollowOptions, 'partials' | 'values'> = {},
): FollowedChat {
  const store = useMemo(() => new FrameStore<FollowedChat>(EMPTY_CHAT), [chat, partials, values]);
  useEffect(() => {
    if (chat === undefined) return undefined;
    const forms = { ...(partials !== undefined && { partials }), ...(values !== undefined && { values }) };
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      store.change(() => EMPTY_CHAT);
      try {
        for await (const { event } of chat.events({ ...forms, signal: leaving.signal })) {
          store.change((state) => foldChatEvent(state, event));
        }
      } catch (error) {
        if (!leaving.signal.aborted) store.change((state) => ({ ...state, error: shownError(error) }));
      }
    };
    void follow();
    return () => leaving.abort();
  }, [chat, partials, values, store]);
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}
