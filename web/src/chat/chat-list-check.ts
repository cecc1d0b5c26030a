/** Check of the server's list of chats with the beginnings of their values. Pure. */
import { array, object, optional, string, type Check } from '@truecast/client/internal/check';
import type { ListedChatPageView, ListedChatView } from '@truecast/client/internal/wire/chat';
import { chatCheck, requestErrorCheck } from '@truecast/client/internal/wire-checks';

const preview: Check<Pick<ListedChatView, 'value_preview' | 'last_failure'>> = object({
  value_preview: optional(string),
  last_failure: optional(requestErrorCheck),
});

/** Check of a page of chats. */
export const chatListCheck: Check<ListedChatPageView> = object({
  chats: array<ListedChatView>((value) => chatCheck(value) ?? preview(value)),
  next: optional(string),
});
