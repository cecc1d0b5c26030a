/** Live chat: the stream of one chat, and the session's reaction to its end. */
import { useEffect, useMemo } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { MessageView } from '@truecast/client';
import { useChatEvents } from '@truecast/client/react';
import type { FoldedChat } from '@truecast/client/internal/state/folded-chat';
import { askedKey } from '../session/asked-key.ts';
import { useSession } from '../session/session.tsx';
import { useClient } from '../session/use-client.ts';

/** A chat and its stream state. */
export interface LiveChat {
  readonly state: FoldedChat;
  /**
   * Reason for the end of the stream. Undefined while it is open. Lost connections are reopened.
   */
  readonly failure: Error | undefined;
}

/** Follows a chat until the component is removed. */
export function useLiveChat(chatId: string): LiveChat {
  const client = useClient();
  const { onError } = useSession();
  const queries = useQueryClient();
  const asked = queries.getQueryData<MessageView>(askedKey(chatId));
  const chat = useMemo(() => client.chat({ id: chatId }), [chatId, client]);
  // The text of a growing value is parsed when it is shown. Receipts complete their messages.
  const { error, ...state } = useChatEvents(chat, { partials: 'text', values: 'once' });
  useEffect(() => {
    if (error !== undefined) onError(error);
  }, [error, onError]);
  const hasMessages = state.messages.length > 0;
  useEffect(() => {
    // At a later visit, the chat can have ended.
    if (hasMessages) queries.removeQueries({ queryKey: askedKey(chatId) });
  }, [chatId, hasMessages, queries]);
  // A question that was sent a moment ago, before its first event.
  const shown: FoldedChat =
    asked === undefined || hasMessages
      ? state
      : { ...state, messages: [asked], status: state.status ?? 'running' };
  return { state: shown, failure: failureOf(error) };
}

function failureOf(error: unknown): Error | undefined {
  if (error instanceof Error) return error;
  return error === undefined ? undefined : new TypeError('The stream of the chat ended.', { cause: error });
}
