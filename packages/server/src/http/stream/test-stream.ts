/** Test stream reader: an independent parser with scripted disconnects. */
import { createParser } from 'eventsource-parser';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import { chatStreamEventSchema, type ChatStreamEvent } from '../../contract/wire/stream-wire.ts';
import type { TestServer } from '../test-server.ts';

/** A received event. */
export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly event: ChatStreamEvent;
}

export interface ReadOptions {
  readonly lastId?: string;
  /** Called with each event. Returning true disconnects. */
  readonly until: (received: ReceivedEvent, all: readonly ReceivedEvent[]) => boolean;
  readonly onOpen?: () => void;
  readonly query?: string;
}

/** Reads events until the test has enough, or the server ends the stream. */
export async function readStream(
  server: TestServer,
  chatId: string,
  { lastId, until, onOpen, query = '' }: ReadOptions,
): Promise<ReceivedEvent[]> {
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/api/chats/${chatId}/stream${query}`, {
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
    signal: leaving.signal,
  });
  const received: ReceivedEvent[] = [];
  let isDone = false;
  const parser = createParser({
    onEvent({ id, data }) {
      if (isDone) return;
      const parsed = parseJson(data);
      const event = chatStreamEventSchema.parse(parsed.success ? parsed.value : undefined);
      received.push({ id, event });
      isDone = until({ id, event }, received);
    },
  });
  onOpen?.();
  const body: ReadableStream<Uint8Array> | null = response.body;
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (isDone) break;
  }
  leaving.abort();
  return received;
}
