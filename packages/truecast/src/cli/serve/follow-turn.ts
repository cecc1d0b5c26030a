/**
 * Turn follower: sends a message, follows it through the queue, and collects the text until the
 * chat is idle again.
 */
import type { ClientChat } from '@truecast/client/internal/client-chat';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { MessageView } from '@truecast/client/internal/wire/message';
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
  let words: string[] = [];
  let isOurs = queuedId === undefined;
  try {
    for await (const { event } of chat.events({ lastEventId: since, signal: stopping.signal })) {
      if (event.type === 'part' && event.kind === 'text' && isOurs) onText(event.delta);
      if (event.type === 'message') words = withMessage(words, event.message);
      if (event.type === 'queue_update') isOurs ||= !event.queued_messages.some(({ id }) => id === queuedId);
      if (event.type === 'status' && isOurs && isOver(event)) break;
    }
  } finally {
    stopping.abort();
  }
  return words.join('\n\n');
}

/** A user message resets the text, because earlier text answers another message. */
function withMessage(words: string[], { role, content }: MessageView): string[] {
  if (role === 'user') return [];
  if (role !== 'assistant') return words;
  return [...words, ...content.flatMap((part) => (part.type === 'text' ? [part.text] : []))];
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
