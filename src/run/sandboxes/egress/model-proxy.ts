/**
 * Owns the host's end of `egress: "model"`: a server on a socket file that reaches the model's address alone and adds the key.
 *
 * agent → 127.0.0.1 → forwarder (inside) → socket file → this proxy (host) → model
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { Usage } from '../../../errors/usage.ts';
import type { ModelAccess } from '../../agents/model-access.ts';
import type { EgressTeller } from './egress-observer.ts';
import { forwardRequest, sendProblem } from './forward-request.ts';
import { createModelUsageReader, type ModelUsageReader } from './model-usage.ts';
import { upstreamRequest } from './proxy-request.ts';
import { startSocketServer } from './socket-server.ts';

/** One request that the proxy has ended; paths, sizes and counts only, never contents. */
export interface ModelRequest {
  readonly method: string;
  /** Path and query, as the agent asked. */
  readonly path: string;
  /** 502 when the model could not be reached; 403 or 405 when the request was refused. */
  readonly statusCode: number;
  readonly responseBytes: number;
  readonly elapsedMs: number;
  /** What the answer told that it used; absent where it told nothing, or was encoded. */
  readonly usage?: Usage;
  /** The model that the answer names. */
  readonly model?: string;
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
  readonly teller: EgressTeller;
  readonly onRequest?: (request: ModelRequest) => void;
}

/** Starts a proxy; the caller closes it. */
export async function startModelProxy(options: ModelProxyOptions): Promise<ModelProxy> {
  const { server, socketPath, close } = await startSocketServer('model', (request, response) => {
    void answer(request, response, options).then((ended) => options.onRequest?.(ended));
  });
  server.on('connect', refuseSocket).on('upgrade', refuseSocket);
  return { socketPath, close };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { access, teller }: ModelProxyOptions,
): Promise<ModelRequest> {
  const startedAtMs = performance.now();
  const { method = 'GET', url: target = '/', rawHeaders } = request;
  const upstream = upstreamRequest({ method, target, rawHeaders }, access);
  const refusal = teller.refuseModel();
  let responseBytes = 0;
  let reader: ModelUsageReader | undefined;
  if (upstream.type === 'refuse' || refusal !== undefined) {
    if (upstream.type === 'refuse') sendProblem(response, upstream.statusCode, upstream.message);
    else sendProblem(response, 403, refusal ?? '');
    request.resume();
  } else {
    const { url, headers } = upstream;
    const forwardTarget = {
      isHttps: url.protocol === 'https:',
      options: urlToHttpOptions(url),
      headers,
      label: `The model at ${url.host}`,
    };
    await forwardRequest(request, response, forwardTarget, {
      onHead({ headers: head, statusCode = 0 }) {
        const isReadable = statusCode < 300 && head['content-encoding'] === undefined;
        if (isReadable) reader = createModelUsageReader(head['content-type']);
      },
      onChunk(chunk) {
        responseBytes += chunk.length;
        reader?.push(chunk);
      },
    });
  }
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  const told = reader?.read() ?? {};
  if (told.usage !== undefined) teller.modelUsed(told.usage, told.model);
  return { method, path: target, statusCode: response.statusCode, responseBytes, elapsedMs, ...told };
}

function refuseSocket(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => undefined);
  socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
