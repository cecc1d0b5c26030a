/** Event stream of a chat, with automatic reconnects. */
import { eventReader, followStream } from './calls/event-stream.ts';
import type { Connection } from './calls/http-caller.ts';
import { toQuery } from './calls/to-query.ts';
import { chatStreamEvent, type ChatStreamEvent } from './wire/stream-event.ts';

const readChatEvent = eventReader(chatStreamEvent);

/** An event and its resume id. Hints have no id. */
export interface ReceivedEvent {
  readonly event: ChatStreamEvent;
  readonly id?: string;
}

/** Options of the event stream. */
export interface FollowOptions {
  /** Id of the last known event. @default from the first message */
  readonly lastEventId?: string;
  /**
   * `text`: no `partial` events. The text of an answer is in its `part` events, with its position.
   *
   * @default 'values'
   */
  readonly partials?: 'text' | 'values';
  /**
   * `once`: a validated value is only the `value_text` of the receipt, without copies in messages.
   *
   * @default 'all'
   */
  readonly values?: 'once' | 'all';
  readonly signal?: AbortSignal;
}

/**
 * Yields the events of a chat until the caller stops. Each durable event arrives once, whatever
 * happens to the connection.
 *
 * @yields each event with its resume id
 * @throws ServerError `refused` after the chat is deleted or the token revoked
 */
export function followChat(
  connection: Connection,
  chatId: string,
  { partials, values, ...options }: FollowOptions,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const path = (after: string | undefined): string =>
    `/api/chats/${encodeURIComponent(chatId)}/stream${toQuery({ after, partials, values })}`;
  return followStream(connection, { path, read: readChatEvent }, options);
}
