/** Replaces client-chosen ids in a path, such as `~ID`, with the server's ids. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { findChat, findMessage } from '../state/client-ids/client-ids.ts';
import { chatNotFound } from '../state/rows/transition-table.ts';
import type { ServerParts } from './server-parts.ts';

type Params = Readonly<Record<string, string>>;

/** Resolves `:id` of a chat and `:mid` of a message. @throws ChatStateError for an unknown id */
export async function resolveClientIds(
  { store: { db } }: Pick<ServerParts, 'store'>,
  owner: string,
  params: Params,
): Promise<Params> {
  const chatClientId = clientIdIn(params['id']);
  const messageClientId = clientIdIn(params['mid']);
  if (chatClientId === undefined && messageClientId === undefined) return params;
  const chatId =
    chatClientId === undefined ? params['id'] : await findChat(db, { owner, clientId: chatClientId });
  if (chatId === undefined) throw chatNotFound(params['id'] ?? '');
  if (messageClientId === undefined) return { ...params, id: chatId };
  const messageId = await findMessage(db, { owner, chatId, clientId: messageClientId });
  if (messageId !== undefined) return { ...params, id: chatId, mid: String(messageId) };
  throw new ChatStateError('There is no such message. Read the messages of the chat.', {
    code: 'message-not-found',
    subject: messageClientId,
  });
}

function clientIdIn(param: string | undefined): string | undefined {
  return param?.startsWith('~') === true ? param.slice(1) : undefined;
}
