/**
 * Turn follower: sends a message, follows it through the queue, and collects the text until the
 * chat is idle again.
 */
import type { ClientChat } from '@truecast/client/internal/client-chat';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { EMPTY_CHAT, foldChatEvent, type FoldedChat } from '@truecast/client/internal/state/folded-chat';
import type { ChatStreamEvent } from '@truecast/client/internal/wire/stream-event';

/**
 * Sends a message, waits for its turn to end, and returns the assistant's text.
 *
 * @param onText - called with each piece of text as it is written
 * @throws ServerError if the turn failed; UsageError if the turn waits for tools of another client
 */
export async function followTurn(
  chat: ClientChat,
  message: string,
  onText: (piece: string) => void,
): Promise<string> {
  const since = chat.id === undefined ? '0' : String((await chat.read()).version);
  const sent = await chat.send({ content: message });
  const queuedId = sent.queued_message?.id;
  const stopping = new AbortController();
  let state = EMPTY_CHAT;
  let isOurs = queuedId === undefined;
  try {
    for await (const { event } of chat.events({ lastEventId: since, signal: stopping.signal })) {
      if (event.type === 'part' && event.kind === 'text' && isOurs) onText(event.delta);
      state = foldChatEvent(state, event);
      if (event.type === 'queue_update') isOurs ||= !event.queued_messages.some(({ id }) => id === queuedId);
      if (event.type === 'status' && isOurs && isOver(event)) break;
    }
  } finally {
    stopping.abort();
  }
  return answerIn(state).join('\n\n');
}

/** Text after the last user message: earlier text answers another message. */
function answerIn({ messages }: FoldedChat): string[] {
  const answer = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const parts = answer.flatMap(({ role, content }) => (role === 'assistant' ? content : []));
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

function isOver({ status, error }: Extract<ChatStreamEvent, { type: 'status' }>): boolean {
  if (status === 'error') {
    throw new ServerError(
      `The turn failed: ${error?.message ?? 'the server reported no reason.'} Send the message again, or start a chat with another \`--model\`.`,
      { code: 'refused' },
    );
  }
  if (status === 'requires_action') {
    throw new UsageError('The chat waits for tools that its client runs. Continue the chat in that client.');
  }
  return status === 'waiting';
}
