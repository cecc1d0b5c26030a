/** Owns carrying one HTTP request of a guest's to a server and its answer back, framed anew. */
import {
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { endToEndHeaders } from './proxy-request.ts';

/** Where a request goes. */
export interface ForwardTarget {
  readonly isHttps: boolean;
  /** Address, port, path, and how a name is resolved. */
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Stands in the message when the server cannot be reached. */
  readonly label: string;
}

/** Is told of an answer while it is carried. */
export interface ForwardListener {
  onHead?(answered: IncomingMessage): void;
  onChunk?(chunk: Buffer): void;
}

/** Carries a request to its end; never rejects. A server that cannot be reached becomes a 502. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  target: ForwardTarget,
  { onHead, onChunk }: ForwardListener = {},
): Promise<void> {
  const cancelled = new AbortController();
  response.once('close', () => cancelled.abort());
  try {
    const answered = await send(request, target, cancelled.signal);
    onHead?.(answered);
    // Redirects are handed on as they are: what they name is asked for anew.
    response.writeHead(answered.statusCode ?? 502, endToEndHeaders(answered.rawHeaders));
    // A stream's headers must not wait for its first event.
    response.flushHeaders();
    if (onChunk !== undefined) answered.on('data', onChunk);
    await pipeline(answered, response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else sendProblem(response, 502, `${target.label} cannot be reached (${codeOf(error)}).`);
  }
}

/** Answers a request ourselves, in the form of error that model services use. */
export function sendProblem(response: ServerResponse, statusCode: number, message: string): void {
  if (response.destroyed) return;
  response.writeHead(statusCode, { 'content-type': 'application/json', connection: 'close' });
  response.end(problemBody(message));
}

/** The body of an answer of ours. */
export function problemBody(message: string): string {
  return `${JSON.stringify({ error: { type: 'truecast_proxy', message } })}\n`;
}

function send(
  body: IncomingMessage,
  { isHttps, options, headers }: ForwardTarget,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = isHttps ? httpsRequest : httpRequest;
    const outgoing = start(
      { ...options, method: body.method ?? 'GET', headers: framed(body, headers), signal },
      resolve,
    );
    outgoing.once('error', reject);
    body.once('error', reject);
    body.pipe(outgoing);
  });
}

/** Node frames no body of a GET by itself: a guest's would be read by the server as requests of their own. */
function framed(
  body: IncomingMessage,
  headers: Readonly<Record<string, readonly string[]>>,
): Record<string, string | string[]> {
  const copied = Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] ?? '') : [...values],
    ]),
  );
  const hasBody =
    body.headers['transfer-encoding'] !== undefined || Number(body.headers['content-length'] ?? 0) > 0;
  if (hasBody && copied['content-length'] === undefined) copied['transfer-encoding'] = 'chunked';
  return copied;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
