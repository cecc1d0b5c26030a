/**
 * Owns the host's end of `egress: "model"`: a server on a socket file that reaches the model's address alone and adds the key.
 *
 * agent → 127.0.0.1 → forwarder (inside) → socket file → this proxy (host) → model
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ModelAccess } from '../../agents/model-access.ts';
import { endToEndHeaders, upstreamRequest } from './proxy-request.ts';

/** One request that the proxy has ended; paths and sizes only, never contents. */
export interface ModelRequest {
  readonly method: string;
  /** Path and query, as the agent asked. */
  readonly path: string;
  /** 502 when the model could not be reached; 403 or 405 when the request was refused. */
  readonly statusCode: number;
  readonly responseBytes: number;
  readonly elapsedMs: number;
}

/** A running proxy. */
export interface ModelProxy {
  /** A socket file in a folder that only this user can enter. */
  readonly socketPath: string;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

/** What a proxy is started with. */
export interface ModelProxyOptions {
  readonly access: ModelAccess;
  readonly onRequest?: (request: ModelRequest) => void;
}

type ForwardedRequest = Extract<ReturnType<typeof upstreamRequest>, { readonly type: 'forward' }>;

/** Starts a proxy; the caller closes it. */
export async function startModelProxy({ access, onRequest }: ModelProxyOptions): Promise<ModelProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-model-'));
  const socketPath = join(folder, 'model.sock');
  const server = createServer((request, response) => {
    void answer(request, response, access).then((ended) => onRequest?.(ended));
  });
  // A model may think for minutes, and a prompt be sent slowly: silence is the run's own matter.
  server.requestTimeout = 0;
  server.on('connect', refuseSocket).on('upgrade', refuseSocket);
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  return {
    socketPath,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  access: ModelAccess,
): Promise<ModelRequest> {
  const startedAtMs = performance.now();
  const { method = 'GET', url: target = '/', rawHeaders } = request;
  const upstream = upstreamRequest({ method, target, rawHeaders }, access);
  let responseBytes = 0;
  if (upstream.type === 'refuse') {
    sendProblem(response, upstream.statusCode, upstream.message);
    request.resume();
  } else {
    await forward(request, response, upstream, (bytes) => {
      responseBytes += bytes;
    });
  }
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  return { method, path: target, statusCode: response.statusCode, responseBytes, elapsedMs };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { url, headers }: ForwardedRequest,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const cancelled = new AbortController();
  response.once('close', () => cancelled.abort());
  try {
    const answered = await send(request, url, headers, cancelled.signal);
    // Redirects are handed on as they are: what they name cannot be reached.
    response.writeHead(answered.statusCode ?? 502, endToEndHeaders(answered.rawHeaders));
    // A stream's headers must not wait for its first event.
    response.flushHeaders();
    answered.on('data', (chunk: Buffer) => onBytes(chunk.length));
    await pipeline(answered, response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else sendProblem(response, 502, `The model at ${url.host} cannot be reached (${codeOf(error)}).`);
  }
}

function send(
  body: IncomingMessage,
  url: URL,
  headers: Readonly<Record<string, readonly string[]>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = start(
      url,
      { method: body.method ?? 'GET', headers: copyHeaders(headers), signal },
      resolve,
    );
    outgoing.once('error', reject);
    body.once('error', reject);
    body.pipe(outgoing);
  });
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

function refuseSocket(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => undefined);
  socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

function sendProblem(response: ServerResponse, statusCode: number, message: string): void {
  if (response.destroyed) return;
  response.writeHead(statusCode, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ error: { type: 'truecast_proxy', message } }));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
