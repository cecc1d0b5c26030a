/** Event stream of a chat, with automatic reconnects. */
import { createParser } from 'eventsource-parser';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { parseBoundedJson } from '@truecast/core/internal/output/json/bounded-json';
import { delay } from './delay.ts';
import { toQuery } from './to-query.ts';
import { readAs, send, type Connection } from './http-caller.ts';
import { eventCheck, isKnownEvent } from './wire-checks.ts';
import type { ChatStreamEvent } from './wire/stream-event.ts';

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
   * `once`: a validated value is only the `value_text` of its receipt, without copies in messages.
   *
   * @default 'all'
   */
  readonly values?: 'once' | 'all';
  readonly signal?: AbortSignal;
}

/** Delay between two connections, to protect a restarting server. */
const RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 5_000;
/** The server sends a comment at least every 15 seconds. After this time the connection is dead. */
const SILENCE_MS = 60_000;

/**
 * Yields the events of a chat until the caller stops. Each durable event arrives once, whatever
 * happens to the connection.
 *
 * @yields each event with its resume id
 * @throws ServerError `refused` after the chat is deleted or the token revoked
 */
export async function* followChat(
  connection: Connection,
  chatId: string,
  { lastEventId, partials, values, signal }: FollowOptions,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  let lastId = lastEventId;
  let failures = 0;
  for (;;) {
    signal?.throwIfAborted();
    try {
      for await (const received of readConnection(
        connection,
        chatId,
        { after: lastId, partials, values },
        signal,
      )) {
        failures = 0;
        lastId = received.id ?? lastId;
        yield received;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (ServerError.isInstance(error) && !isPassing(error)) throw error;
    }
    await delay(Math.min(RECONNECT_MS * 2 ** failures, MAX_RECONNECT_MS), signal);
    failures += 1;
  }
}

function isPassing({ code, statusCode = 0 }: ServerError): boolean {
  return code === 'unreachable' || statusCode === 429 || statusCode >= 500;
}

async function* readConnection(
  connection: Connection,
  chatId: string,
  query: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(signal?.reason);
  signal?.addEventListener('abort', leave, { once: true });
  let silence: ReturnType<typeof setTimeout> | undefined;
  const hear = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => leaving.abort(), SILENCE_MS);
  };
  try {
    const path = `/api/chats/${encodeURIComponent(chatId)}/stream${toQuery(query)}`;
    const { body } = await send(connection, { method: 'GET', path, signal: leaving.signal });
    hear();
    if (body === null) return;
    yield* parseEvents(body, hear);
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', leave);
    leaving.abort();
  }
}

async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  hear: () => void,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const waiting: ReceivedEvent[] = [];
  const parser = createParser({
    onEvent({ id, event: name, data }) {
      const event = readEvent(name, data);
      if (event !== undefined) waiting.push({ event, ...(id !== undefined && { id }) });
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    hear();
    parser.feed(decoder.decode(value, { stream: true }));
    yield* waiting.splice(0);
  }
}

function readEvent(name: string | undefined, data: string): ChatStreamEvent | undefined {
  if (!isKnownEvent(name)) return undefined;
  const parsed = parseBoundedJson(data);
  return readAs(eventCheck, parsed.success ? parsed.value : undefined);
}
