/** Live chat: follows the stream of one chat into a frame store. */
import { useEffect, useMemo, useState } from 'react';
import { ServerError } from '@truecast/client';
import { useSession } from '../session/session.tsx';
import { foldChatEvent, EMPTY_CHAT, type FoldedChat } from '@truecast/client/internal/state/folded-chat';
import { FrameStore, useFrameStore } from './frame-store.ts';

/** A chat with the state of its stream. */
export interface LiveChat {
  readonly state: FoldedChat;
  /**
   * Reason for the end of the stream. Undefined while it is open. Lost connections are reopened.
   */
  readonly failure: Error | undefined;
}

/** Follows a chat until the component is removed. */
export function useLiveChat(chatId: string): LiveChat {
  const { client, onError } = useSession();
  const store = useMemo(() => new FrameStore<FoldedChat>(EMPTY_CHAT), [chatId, client]);
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    const stopping = new AbortController();
    setFailure(undefined);
    const follow = async (): Promise<void> => {
      const events = client.chat({ id: chatId }).events({
        // The console parses the text itself, and completes messages from receipts.
        partials: 'text',
        values: 'once',
        signal: stopping.signal,
      });
      for await (const { event } of events) {
        store.change((state) => foldChatEvent(state, event));
      }
    };
    follow().catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      onError(error);
      setFailure(ServerError.isInstance(error) ? error : new TypeError(String(error)));
    });
    return () => stopping.abort();
  }, [chatId, client, onError, store]);
  return { state: useFrameStore(store), failure };
}
