/**
 * HTTP forwarding: sends a guest's request to a server and returns the answer, with new framing.
 */
import type { IncomingMessage, RequestOptions, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProxiedRequest } from '@truecast/host/internal/proxy/proxied-request';
import { endToEndHeaders } from './proxy-request.ts';

export interface ForwardTarget {
  readonly isHttps: boolean;
  /** Its way through the proxy of the host's environment. @default it is sent directly */
  readonly proxied?: ProxiedRequest | undefined;
  /** Address, port, path and name lookup. */
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Name of the server in the error message if it cannot be reached. */
  readonly label: string;
  /** The request's body, if it was already read. */
  readonly body?: Buffer;
  /** Called once the server can have received the request. */
  readonly onConnected?: () => void;
  /** Called when the server has answered, or with the error if it did not. */
  readonly onAnswer?: (error: unknown) => void;
}

/** Headers and body transforms of a forwarded answer. */
export interface CarriedAnswer {
  readonly headers: Readonly<Record<string, string[]>>;
  /** Transforms of the body, in this order. */
  readonly through: readonly Transform[];
}

/** Chooses headers and transforms from the answer's head. A thrown error becomes a 502. */
export type CarryAnswer = (answered: IncomingMessage) => CarriedAnswer;

/**
 * Forwards a request and its answer completely. Never rejects. An unreachable server becomes a 502.
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  target: ForwardTarget,
  carry: CarryAnswer = carryUnchanged,
): Promise<void> {
  const cancelled = new AbortController();
  response.once('close', () => cancelled.abort());
  try {
    const answered = await send(request, target, cancelled.signal).catch((error: unknown) => {
      if (!cancelled.signal.aborted) target.onAnswer?.(error);
      throw error;
    });
    target.onAnswer?.(undefined);
    const { headers, through } = carryOrEnd(carry, answered);
    // Redirects are forwarded unchanged. The guest's next request is checked again.
    response.writeHead(answered.statusCode ?? 502, headers);
    // Send headers before the first event of a stream.
    response.flushHeaders();
    await pipeline([answered, ...through, response]);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else sendProblem(response, 502, `${target.label} cannot be reached (${codeOf(error)}).`);
  }
}

function carryUnchanged({ rawHeaders }: IncomingMessage): CarriedAnswer {
  return { headers: endToEndHeaders(rawHeaders), through: [] };
}

function carryOrEnd(carry: CarryAnswer, answered: IncomingMessage): CarriedAnswer {
  try {
    return carry(answered);
  } catch (error) {
    answered.destroy();
    throw error;
  }
}

/** Sends an error from the proxy, in the error format of model services. */
export function sendProblem(response: ServerResponse, statusCode: number, message: string): void {
  if (response.destroyed) return;
  response.writeHead(statusCode, { 'content-type': 'application/json', connection: 'close' });
  response.end(problemBody(message));
}

/** Returns the body of a proxy error. */
export function problemBody(message: string): string {
  return `${JSON.stringify({ error: { type: 'truecast_proxy', message } })}\n`;
}

function send(
  request: IncomingMessage,
  { isHttps, options, proxied, body, onConnected, ...target }: ForwardTarget,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = { ...target.headers, ...proxied?.headers };
  return new Promise((resolve, reject) => {
    const module = (proxied?.isHttps ?? isHttps) ? 'node:https' : 'node:http';
    const outgoing = process.getBuiltinModule(module).request(
      {
        ...options,
        ...proxied?.options,
        method: request.method ?? 'GET',
        headers: body === undefined ? framed(request, headers) : framedWhole(body, headers),
        signal,
      },
      resolve,
    );
    outgoing.once('error', reject);
    outgoing.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => onConnected?.());
      else onConnected?.();
    });
    if (body !== undefined) {
      outgoing.end(body);
      return;
    }
    request.once('error', reject);
    request.pipe(outgoing);
  });
}

/**
 * Adds framing for the body. By default, Node does not frame the body of a GET. The server would
 * parse it as separate requests (request smuggling).
 */
function framed(
  body: IncomingMessage,
  headers: Readonly<Record<string, readonly string[]>>,
): Record<string, string | string[]> {
  const copied = copyHeaders(headers);
  const hasBody =
    body.headers['transfer-encoding'] !== undefined || Number(body.headers['content-length'] ?? 0) > 0;
  if (hasBody && copied['content-length'] === undefined) copied['transfer-encoding'] = 'chunked';
  return copied;
}

function framedWhole(
  body: Buffer,
  headers: Readonly<Record<string, readonly string[]>>,
): Record<string, string | string[]> {
  return { ...copyHeaders(headers), 'content-length': String(body.length) };
}

function copyHeaders(
  headers: Readonly<Record<string, readonly string[]>>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] ?? '') : [...values],
    ]),
  );
}

function codeOf(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
