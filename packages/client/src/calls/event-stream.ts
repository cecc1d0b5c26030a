/** Reader of one event stream (SSE), with automatic reconnects. */
import { createParser } from 'eventsource-parser';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import type { Shape } from '@truecast/core/internal/shape/shape';
import { delay, readAs, send, type Connection } from './http-caller.ts';
import { isPassing, RECONNECT_MS, type Patience } from './patience.ts';

/** An event with its resume id. Hints have no id. */
export interface StreamedEvent<T> {
  readonly event: T;
  readonly id?: string;
}

/** A stream: its path after an event, and how its events are read. */
export interface StreamSource<T> {
  /** Path of the events after an id. Undefined: from the start. */
  readonly path: (after: string | undefined) => string;
  /** Returns undefined for an event of a newer server, which is skipped. */
  readonly read: (name: string | undefined, data: string) => T | undefined;
}

/** Where a stream begins and ends. */
export interface StreamOptions {
  /** Id of the last known event. @default from the start */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Ends the stream of a server that fails for too long. @default it connects again without an end */
  readonly patience?: Patience | undefined;
}

const MAX_RECONNECT_MS = 5_000;
/** The server sends a comment at least every 15 seconds. After this time the connection is dead. */
const SILENCE_MS = 60_000;

/**
 * Yields the events of a stream until the caller stops. Each durable event arrives once, whatever
 * happens to the connection.
 *
 * @yields each event with its resume id
 * @throws ServerError `refused` once the server refuses the stream, UsageError without a token
 */
export async function* followStream<T>(
  connection: Connection,
  source: StreamSource<T>,
  { lastEventId: lastId, signal, patience }: StreamOptions,
): AsyncGenerator<StreamedEvent<T>, void, undefined> {
  let waitMs = RECONNECT_MS;
  for (;;) {
    signal?.throwIfAborted();
    try {
      for await (const received of readConnection(connection, source, {
        lastEventId: lastId,
        signal,
        patience,
      })) {
        waitMs = RECONNECT_MS;
        lastId = received.id ?? lastId;
        yield received;
        // The rest of a chunk must not reach a caller that has stopped.
        signal?.throwIfAborted();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (UsageError.isInstance(error) || (ServerError.isInstance(error) && !isPassing(error))) throw error;
      if (patience !== undefined) {
        await patience.failed(ServerError.isInstance(error) ? error : cutOff(error), signal);
        continue;
      }
    }
    await delay(waitMs, signal);
    waitMs = Math.min(waitMs * 2, MAX_RECONNECT_MS);
  }
}

function cutOff(cause: unknown): ServerError {
  const message = 'The server closed the connection. Check its log, and the proxies before it.';
  return new ServerError(message, { code: 'unreachable', cause });
}

/** Returns a reader of events by their names. It skips those of a newer server. */
export function eventReader<T>(shape: Shape<T>): StreamSource<T>['read'] {
  const { is } = shape;
  return (name = '', data) => {
    if (is.type !== 'tagged' || !Object.hasOwn(is.cases, name)) return undefined;
    const parsed = parseBoundedJson(data);
    return readAs(shape, parsed.success ? parsed.value : undefined);
  };
}

async function* readConnection<T>(
  connection: Connection,
  { path, read }: StreamSource<T>,
  { lastEventId: after, signal, patience }: StreamOptions,
): AsyncGenerator<StreamedEvent<T>, void, undefined> {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  signal?.addEventListener('abort', leave, { once: true });
  const waiting: StreamedEvent<T>[] = [];
  const parser = createParser({
    onEvent({ id, event: name, data }) {
      const event = read(name, data);
      if (event !== undefined) waiting.push({ event, ...(id !== undefined && { id }) });
    },
  });
  const decoder = new TextDecoder();
  let silence: ReturnType<typeof setTimeout> | undefined;
  try {
    const { body } = await send(connection, { method: 'GET', path: path(after), signal: leaving.signal });
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader();
    for (;;) {
      silence = setTimeout(leave, SILENCE_MS);
      const chunk = await reader?.read();
      // The end of the stream has no value.
      if (chunk?.value === undefined) return;
      clearTimeout(silence);
      // A comment shows that the server works, however long there is no event.
      patience?.succeeded();
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield* waiting.splice(0);
    }
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', leave);
    leaving.abort();
  }
}
