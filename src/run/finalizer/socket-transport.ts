/** Owns carrying MCP's messages over a socket, one JSON text a line, and keeping the text of a call's arguments as it was written. */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { memberText } from '../../output/finalizer/member-text.ts';
import { createLineSplitter } from '../agents/stream-lines.ts';

/** A transport whose calls can be read as they were written. */
export interface SocketTransport extends Transport {
  /** Takes the text of the arguments of the call with this id; once. */
  takeArguments(id: RequestId): string | undefined;
}

/** Makes a transport; a line longer than `maxLineChars` ends the connection. */
export function createSocketTransport(socket: Socket, maxLineChars: number): SocketTransport {
  const decoder = new StringDecoder('utf8');
  const argumentsById = new Map<RequestId, string>();

  const take = (line: string): void => {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      transport.onerror?.(toError(error));
      return;
    }
    if ('method' in message && 'id' in message && message.method === 'tools/call') {
      const text = memberText(line, ['params', 'arguments']);
      if (text !== undefined) argumentsById.set(message.id, text);
    }
    transport.onmessage?.(message);
  };

  const transport: SocketTransport = {
    start() {
      const lines = createLineSplitter({
        onLine: take,
        onOverlongLine: () => socket.destroy(),
        maxLineChars,
      });
      socket.on('data', (chunk: Buffer) => lines.push(decoder.write(chunk)));
      socket.on('error', (error) => transport.onerror?.(error));
      socket.on('close', () => transport.onclose?.());
      return Promise.resolve();
    },
    send: (message) =>
      new Promise((resolve) => {
        // An agent that has gone does not wait for its answer.
        if (socket.destroyed) resolve();
        else socket.write(serializeMessage(message), () => resolve());
      }),
    close() {
      socket.destroy();
      return Promise.resolve();
    },
    takeArguments(id) {
      const text = argumentsById.get(id);
      argumentsById.delete(id);
      return text;
    },
  };
  return transport;
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new SyntaxError(String(value));
}
