/** Test stream reader: an independent parser with scripted disconnects. */
import { createParser } from 'eventsource-parser';
import type { z } from 'zod';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { toZod } from '../../contract/to-zod.ts';
import { ownerStreamEvent, type OwnerStreamEvent } from '@truecast/client/internal/wire/stream/owner-stream';
import { runStreamEvent, type RunStreamEvent } from '@truecast/client/internal/wire/kept-run';
import { chatStreamEvent, type ChatStreamEvent } from '@truecast/client/internal/wire/stream-event';
import type { TestServer } from '../test-server.ts';

/** A received event. */
export interface ReadEvent<TEvent = ChatStreamEvent> {
  readonly id: string | undefined;
  readonly event: TEvent;
}

export interface ReadOptions<TEvent = ChatStreamEvent> {
  readonly lastId?: string;
  /** @default the server's first token */
  readonly token?: string;
  /** Called with each event. Returning true disconnects. */
  readonly until: (received: ReadEvent<TEvent>, all: readonly ReadEvent<TEvent>[]) => boolean;
  readonly onOpen?: () => void;
  readonly query?: string;
}

/** Reads a chat's events until the test has enough, or the server ends the stream. */
export function readChatStream(
  server: TestServer,
  chatId: string,
  options: ReadOptions,
): Promise<ReadEvent[]> {
  return readEventsAt(server, `/api/chats/${chatId}/stream`, toZod(chatStreamEvent), options);
}

/** Reads an owner's events, as `readStream`. */
export function readOwnerStream(
  server: TestServer,
  options: ReadOptions<OwnerStreamEvent>,
): Promise<ReadEvent<OwnerStreamEvent>[]> {
  return readEventsAt(server, '/api/stream', toZod(ownerStreamEvent), options);
}

/** Reads a run's events, as `readStream`. */
export function readRunStream(
  server: TestServer,
  runId: string,
  options: ReadOptions<RunStreamEvent>,
): Promise<ReadEvent<RunStreamEvent>[]> {
  return readEventsAt(server, `/api/kept_runs/${runId}/stream`, toZod(runStreamEvent), options);
}

/** Reads the events of an address, as `readChatStream`. */
export async function readEventsAt<TEvent>(
  server: TestServer,
  path: string,
  schema: z.ZodType<TEvent>,
  { lastId, token = server.token, until, onOpen, query = '' }: ReadOptions<TEvent>,
): Promise<ReadEvent<TEvent>[]> {
  const leaving = new AbortController();
  const response = await fetch(`${server.url}${path}${query}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
    signal: leaving.signal,
  });
  const received: ReadEvent<TEvent>[] = [];
  let isDone = false;
  const parser = createParser({
    onEvent({ id, data }) {
      if (isDone) return;
      const parsed = parseJson(data);
      const event = schema.parse(parsed.success ? parsed.value : undefined);
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
