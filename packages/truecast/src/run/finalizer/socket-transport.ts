/**
 * MCP transport over a socket: one JSON text per line, with backpressure. It keeps the raw text of
 * a call's arguments.
 *
 * data → lines → at most `MAX_OPEN_REQUESTS` requests → their answers are written → the next lines
 */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import {
  deserializeMessage,
  isSpecType,
  serializeMessage,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { createLineReader } from '../../agents/stream/stream-lines.ts';

/** A transport with access to the raw text of calls. */
export interface SocketTransport extends Transport {
  /** Returns and forgets the raw arguments of the call with this id. */
  takeArguments(id: RequestId): string | undefined;
}

/** Limit of incomplete messages over all connections of a server, in UTF-16 units. */
export interface HeldText {
  readonly maxChars: number;
  chars: number;
}

/** Limit of concurrent requests per connection. A client sends its next request after an answer. */
const MAX_OPEN_REQUESTS = 8;

/**
 * Creates a transport.
 *
 * The connection is closed if a line exceeds `maxLineChars`, a request id is in use, or all
 * connections hold too much unfinished text. While too many requests are open, the socket is not
 * read. A client that sends without reading then buffers in its own memory.
 */
export function createSocketTransport(socket: Socket, maxLineChars: number, held: HeldText): SocketTransport {
  const decoder = new StringDecoder('utf8');
  const meter = createHeldMeter(held);
  const gate = createRequestGate(
    socket,
    (message) => transport.onmessage?.(message),
    (error) => transport.onerror?.(error),
  );
  const transport: SocketTransport = {
    start() {
      const lines = createLineReader({
        onLine: gate.push,
        onOverlongLine: () => socket.destroy(),
        maxLineChars,
      });
      socket.on('data', (chunk: Buffer) => {
        const text = decoder.write(chunk);
        if (!meter.push(text)) socket.destroy();
        lines.push(text);
        gate.pump();
      });
      socket.on('error', (error) => transport.onerror?.(error));
      socket.on('close', () => {
        meter.release();
        transport.onclose?.();
      });
      return Promise.resolve();
    },
    send: (message) =>
      new Promise((resolve) => {
        // An agent that has disconnected does not wait for its answer.
        if (socket.destroyed) return resolve();
        socket.write(serializeMessage(message), () => {
          const id = answeredId(message);
          if (id !== undefined) gate.finish(id);
          resolve();
        });
      }),
    close() {
      socket.destroy();
      return Promise.resolve();
    },
    takeArguments: gate.takeArguments,
  };
  return transport;
}

interface HeldMeter {
  /** Returns false if all connections together hold too much text. */
  push(text: string): boolean;
  release(): void;
}

function createHeldMeter(held: HeldText): HeldMeter {
  let own = 0;
  const hold = (chars: number): void => {
    held.chars += chars - own;
    own = chars;
  };
  return {
    push(text) {
      const end = text.lastIndexOf('\n');
      hold(end === -1 ? own + text.length : text.length - end - 1);
      return held.chars <= held.maxChars;
    },
    release: () => hold(0),
  };
}

interface RequestGate {
  /** Queues a line for `pump`. */
  push(line: string): void;
  /** Delivers messages up to the request limit, and pauses reading at the limit. */
  pump(): void;
  /** Marks a request as answered. */
  finish(id: RequestId): void;
  takeArguments(id: RequestId): string | undefined;
}

function createRequestGate(
  socket: Socket,
  onMessage: (message: JSONRPCMessage) => void,
  onError: (error: Error) => void,
): RequestGate {
  const argumentsById = new Map<RequestId, string>();
  const open = new Set<RequestId>();
  const waiting: string[] = [];
  const begin = (message: JSONRPCMessage, line: string): void => {
    if (!('method' in message && 'id' in message)) return;
    if (open.has(message.id)) socket.destroy();
    open.add(message.id);
    const text = message.method === 'tools/call' ? memberText(line, ['params', 'arguments']) : undefined;
    if (text !== undefined) argumentsById.set(message.id, text);
  };
  const gate: RequestGate = {
    push: (line) => void waiting.push(line),
    pump() {
      while (waiting.length > 0 && open.size < MAX_OPEN_REQUESTS && !socket.destroyed) {
        const line = waiting.shift() ?? '';
        if (line.trim() === '') continue;
        const message = readMessage(line, onError);
        if (message === undefined) continue;
        begin(message, line);
        onMessage(message);
        // A cancelled request gets no answer.
        const cancelled = cancelledId(message);
        if (cancelled !== undefined) gate.finish(cancelled);
      }
      if (waiting.length > 0) socket.pause();
      else socket.resume();
    },
    finish(id) {
      argumentsById.delete(id);
      if (open.delete(id)) setImmediate(gate.pump);
    },
    takeArguments(id) {
      const text = argumentsById.get(id);
      argumentsById.delete(id);
      return text;
    },
  };
  return gate;
}

function readMessage(line: string, onError: (error: Error) => void): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch (error) {
    onError(toError(error));
    return undefined;
  }
}

function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message || !('id' in message) ? undefined : message.id;
}

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  return isSpecType.CancelledNotification(message) ? message.params.requestId : undefined;
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new SyntaxError(String(value));
}
