/** Socket IO: reads requests, writes responses, and drops connections on purpose. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ScriptedWireAnswer } from './turn/model-wire.ts';

/** Maximum body size in bytes. A long session of a coding agent is a few megabytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Reads the body of a request as UTF-8. */
export async function readRequestBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_BODY_BYTES) throw new UsageError(`Expected a body of at most ${MAX_BODY_BYTES} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Headers with one value each, names in lowercase. */
export function plainHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).filter((entry) => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** Sends a plain response. */
export function sendAnswer(
  response: ServerResponse,
  { statusCode, headers, body }: ScriptedWireAnswer,
): void {
  const isEmpty = body === undefined;
  response.writeHead(statusCode, {
    ...(!isEmpty && { 'content-type': 'application/json' }),
    ...headers,
  });
  response.end(isEmpty ? undefined : JSON.stringify(body));
}

export interface StreamPace {
  /** Delay before each event. */
  readonly delayMs: number;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/** Sends server-sent events one by one. With `cutAfter`, drops the connection after that many. */
export async function sendEvents(
  response: ServerResponse,
  events: readonly string[],
  { cutAfter, ...pace }: StreamPace & { readonly cutAfter?: number },
): Promise<void> {
  await startEvents(response, events.slice(0, cutAfter), pace);
  if (response.destroyed) return;
  if (cutAfter === undefined) response.end();
  else dropConnection(response);
}

/** Sends server-sent events one by one, and leaves the stream open. */
export async function startEvents(
  response: ServerResponse,
  events: readonly string[],
  { delayMs, signal }: StreamPace,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  for (const event of events) {
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    if (response.destroyed || signal.aborted) return;
    await flushed(response, event);
  }
}

/** Sends the first half of a body with its full content length, and drops the connection. */
export async function sendHalf(response: ServerResponse, body: string): Promise<void> {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  await flushed(response, body.slice(0, Math.floor(body.length / 2)));
  dropConnection(response);
}

function dropConnection(response: ServerResponse): void {
  // Node sends headers with the first byte of a body. The client must see them before the end.
  response.flushHeaders();
  response.socket?.destroySoon();
}

/** Writes and waits for the flush, so that a drop directly after it loses nothing. */
function flushed(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(text, () => resolve());
  });
}
