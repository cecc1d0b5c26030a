/** Tunnel through an HTTP proxy by CONNECT, for any protocol, and TLS in it. */
import { isIP, connect as connectPlain, type Socket } from 'node:net';
import { hostOf, portOf, proxyAuthorization, type EnvironmentProxy } from './environment-proxy.ts';

export interface TunnelTarget {
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
}

export interface TunnelOptions {
  /** Ends the attempt. */
  readonly signal?: AbortSignal;
  /** @default false */
  readonly allowHalfOpen?: boolean;
}

const MAX_HEAD_BYTES = 16 * 1024;
const TIMEOUT_MS = 30_000;
const HEAD_END = '\r\n\r\n';
const STATUS = /^HTTP\/1\.[01] (\d{3})/u;

/** Opens a connection to the target. Rejects with the connection's error, or the proxy's status. */
export async function openTunnel(
  proxy: EnvironmentProxy,
  { host, port }: TunnelTarget,
  { signal, allowHalfOpen = false }: TunnelOptions = {},
): Promise<Socket> {
  signal?.throwIfAborted();
  const socket = connectToProxy(proxy.url, allowHalfOpen);
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const login = proxyAuthorization(proxy);
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(login === undefined ? [] : [`Proxy-Authorization: ${login}`]),
  ];
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ending = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    socket.write(`${lines.join('\r\n')}${HEAD_END}`);
    assertOpen(await readHead(socket, ending));
    return socket;
  } catch (error) {
    socket.destroy();
    throw timeout.aborted ? timedOut(proxy) : error;
  }
}

function connectToProxy(url: URL, allowHalfOpen: boolean): Socket {
  const host = hostOf(url);
  const place = { host, port: portOf(url), allowHalfOpen };
  if (url.protocol === 'http:') return connectPlain(place);
  // At the first use: its import takes 20 ms of each start.
  const { connect: connectTls } = process.getBuiltinModule('node:tls');
  return connectTls({ ...place, ...(isIP(host) === 0 && { servername: host }) });
}

/** Reads the head of the answer. What follows it belongs to the target, and stays in the socket. */
function readHead(socket: Socket, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const stop = (): void => {
      socket.off('readable', read).off('error', fail).off('close', end);
      signal.removeEventListener('abort', abort);
    };
    const fail = (error: unknown): void => {
      stop();
      // A later error of the destroyed socket has no reader.
      socket.on('error', () => undefined);
      reject(error);
    };
    const end = (): void => fail(tunnelError('The proxy closed the connection'));
    const abort = (): void => fail(signal.reason);
    const read = (): void => {
      for (let chunk = nextOf(socket); chunk !== null; chunk = nextOf(socket)) {
        head = Buffer.concat([head, chunk]);
        const at = head.indexOf(HEAD_END);
        if (at !== -1) {
          stop();
          const rest = head.subarray(at + HEAD_END.length);
          if (rest.length > 0) socket.unshift(rest);
          resolve(head.toString('latin1', 0, at));
          return;
        }
        if (head.length > MAX_HEAD_BYTES) {
          fail(tunnelError('The answer of the proxy is too long'));
          return;
        }
      }
    };
    socket.on('readable', read).on('error', fail).on('close', end);
    signal.addEventListener('abort', abort);
  });
}

function nextOf(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}

function assertOpen(head: string): void {
  const status = STATUS.exec(head)?.[1];
  if (status === undefined) throw tunnelError('The proxy does not speak HTTP');
  if (!status.startsWith('2')) throw refusedByProxy(status);
}

/** The error of a proxy that refuses, with the words of Node's own client. */
export function refusedByProxy(status: number | string): Error {
  return tunnelError(`Proxy response (${status}) !== 200 when HTTP Tunneling`);
}

/** Failure of a connection, with the members of an error of the system. */
class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

function tunnelError(message: string): Error {
  return Object.assign(new ConnectionError(message), { code: 'ERR_PROXY_TUNNEL' });
}

function timedOut({ url }: EnvironmentProxy): Error {
  const place = { address: hostOf(url), port: portOf(url) };
  return Object.assign(new ConnectionError('The proxy does not answer'), { code: 'ETIMEDOUT', ...place });
}
