/** Listening HTTP server of a fetch handler, with timeouts and a graceful shutdown. */
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import type { FetchHandler } from './mounted-handler.ts';

/** Address to listen on, and timeouts. */
export interface BindOptions {
  readonly fetch: FetchHandler;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Maximum time in milliseconds for a client to send a request. @default 60_000 */
  readonly requestTimeoutMs?: number | undefined;
  /** Grace period of running requests at shutdown. */
  readonly graceMs: number;
}

export interface BoundServer {
  /** Such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** Rejects new requests and waits for running ones. */
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 60_000;
const TIMEOUT_CHECK_MS = 5_000;
/**
 * Longer than the usual minute of proxies. If both sides close a connection at the same time, a
 * request is lost.
 */
const KEEP_ALIVE_MS = 75_000;

/** Listens. Rejects if the address is unavailable. */
export async function bindServer({
  fetch,
  host,
  port,
  graceMs,
  requestTimeoutMs: requestTimeout = REQUEST_TIMEOUT_MS,
}: BindOptions): Promise<BoundServer> {
  const server = createAdaptorServer({
    fetch,
    serverOptions: {
      requestTimeout,
      headersTimeout: requestTimeout,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, requestTimeout),
    },
  });
  const connections = trackConnections(server);
  let isClosing = false;
  server.on('request', (_request: unknown, response: Writable) => {
    response.once('close', () => {
      // A browser keeps the connection of an ended stream open. It must not delay the shutdown.
      if (isClosing) setImmediate(closeIdle, server);
    });
  });
  await listen(server, port, host);
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${boundPort}`,
    close: () => {
      isClosing = true;
      // A browser opens connections in advance. Node does not count them as idle.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      return close(server, graceMs);
    },
  };
}

function trackConnections(server: ServerType): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

function listen(server: ServerType, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: ServerType, graceMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  closeIdle(server);
  const timer = setTimeout(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
  }, graceMs);
  await ended;
  clearTimeout(timer);
}

function closeIdle(server: ServerType): void {
  if ('closeIdleConnections' in server) server.closeIdleConnections();
}
