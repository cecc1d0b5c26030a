/** Hostile model services on 127.0.0.1: replies without an end, replies that quote the key, redirects. */
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A running service. */
export interface HostileService extends AsyncDisposable {
  /** Address up to `/v1`. */
  readonly url: string;
  /** Number of requests so far. Questions about the model's window and its list do not count. */
  readonly requests: number;
  /** Decompressed bytes that all replies together have sent so far. */
  readonly sentBytes: number;
}

/** A server asks a model's service for its context size, once, by the routes of several engines. */
const PROBES = /^\/(?:v1\/models|props|api\/(?:v0\/models|ps|show))$/u;

/** Starts a service. */
export async function startService(
  listener: RequestListener,
  counts: { sent: number } = { sent: 0 },
): Promise<HostileService> {
  let requests = 0;
  const server = createServer((request, response) => {
    const isProbe = PROBES.test(request.url ?? '');
    if (!isProbe) requests += 1;
    request.resume();
    request.once('end', () => {
      if (isProbe && request.url !== '/v1/models') response.writeHead(404).end();
      else listener(request, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    get requests() {
      return requests;
    },
    get sentBytes() {
      return counts.sent;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const CHUNK = 'a'.repeat(1024 * 1024);
/** More than any bound. A reader without a bound takes it all, and the test counts that. */
const END_BYTES = 128 * 1024 * 1024;
const JSON_START = '{"choices":[{"index":0,"message":{"role":"assistant","content":"';
const EVENT_START = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"';

/** Forms of a reply without an end. */
export type EndlessKind = 'json' | 'events' | 'gzip';

/** A reply of 128 MiB. Compressed, it has 130 KB. */
export async function startEndlessService(kind: EndlessKind): Promise<HostileService> {
  const counts = { sent: 0 };
  return startService((_request, response) => {
    response.on('error', () => undefined);
    const type = { 'content-type': kind === 'events' ? 'text/event-stream' : 'application/json' };
    const headers = { ...type, 'content-encoding': 'gzip' };
    if (kind === 'gzip') response.writeHead(200, headers).end((made ??= makeBomb()));
    else void sendWithoutEnd(response.writeHead(200, type), kind, counts);
  }, counts);
}

let made: Buffer | undefined;
/** One member of the compressed stream for each part: a MiB is compressed once. */
function makeBomb(): Buffer {
  const compress = (part: string): Buffer => gzipSync(part, { level: 1 });
  const middle = Array<Buffer>(END_BYTES / CHUNK.length).fill(compress(CHUNK));
  return Buffer.concat([compress(JSON_START), ...middle, compress('"}}]}')]);
}

async function sendWithoutEnd(
  response: ServerResponse,
  kind: EndlessKind,
  counts: { sent: number },
): Promise<void> {
  response.write(kind === 'json' ? JSON_START : EVENT_START);
  const gone = once(response, 'close');
  for (let sent = 0; sent < END_BYTES && !response.destroyed; sent += CHUNK.length) {
    counts.sent += CHUNK.length;
    const piece = kind === 'json' ? CHUNK : `${CHUNK}"}}]}\n\n${EVENT_START}`;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), gone]);
  }
  response.end('"}}]}');
}
