/**
 * HTTP proxy on the host for `egress: { allow }`. It listens on a socket file and connects only to
 * listed hosts, through the proxy of the host's environment if it has one.
 *
 * program → 127.0.0.1 → forwarder (inside) → socket file → this proxy (host) → the checked address
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connectionFailure } from '@truecast/model/internal/failure/unreachable';
import { proxyFor, type EnvironmentProxy } from '@truecast/host/internal/proxy/environment-proxy';
import { openTunnel } from '@truecast/host/internal/proxy/open-tunnel';
import { proxiedRequest } from '@truecast/host/internal/proxy/proxied-request';
import { type AllowRule, formatAuthority } from '../../../ports/allow-rules.ts';
import { forwardRequest, problemBody, sendProblem } from './forward-request.ts';
import { permitTarget, resolveOnHost, type ResolvedAddress, type ResolveName } from './permit-target.ts';
import { endToEndHeaders } from './proxy-request.ts';
import { readProxyTarget, type ProxyTarget } from './proxy-target.ts';
import { startSocketServer } from './socket-server.ts';

export interface AllowProxy {
  /** A socket file in a folder with access for this user only. */
  readonly socketPath: string;
  /** Aborts open requests and tunnels. */
  close(): Promise<void>;
}

export interface AllowProxyOptions {
  readonly rules: readonly AllowRule[];
  /** Called at every refusal, with the host and the reason. */
  readonly onRefusal: (host: string, message: string) => void;
  /** @default the host's resolver */
  readonly resolve?: ResolveName;
}

interface AllowContext extends Required<AllowProxyOptions> {
  readonly tunnels: Set<Duplex>;
}

interface Destination {
  readonly host: string;
  readonly port: number;
}

type Decision =
  | {
      readonly type: 'go';
      readonly addresses: readonly ResolvedAddress[];
      readonly proxy: EnvironmentProxy | undefined;
    }
  | { readonly type: 'stop'; readonly statusCode: number; readonly message: string };

/** Starts a proxy. The caller closes it. */
export async function startAllowProxy(options: AllowProxyOptions): Promise<AllowProxy> {
  const context: AllowContext = { resolve: resolveOnHost, ...options, tunnels: new Set() };
  const { server, socketPath, close } = await startSocketServer('egress', (request, response) => {
    void answer(context, request, response);
  });
  server.on('connect', (request, socket, head) => void tunnel(context, request, socket, head));
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => undefined);
    endSocket(socket, 501, 'Use CONNECT for protocols other than HTTP.');
  });
  return {
    socketPath,
    async close() {
      for (const socket of context.tunnels) socket.destroy();
      await close();
    },
  };
}

async function answer(
  context: AllowContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = readProxyTarget(request.method ?? 'GET', request.url ?? '');
  const decision = await decide(context, target);
  if (decision.type === 'stop' || target.type !== 'forward') {
    const { statusCode, message } = decision.type === 'stop' ? decision : { statusCode: 400, message: '' };
    sendProblem(response, statusCode, message);
    request.resume();
    return;
  }
  const name = formatAuthority(target.host, target.port);
  await forwardRequest(request, response, {
    isHttps: false,
    label: `\`${name}\``,
    proxied: decision.proxy && proxiedRequest(urlOf(target), target.path),
    options: {
      host: target.host,
      port: target.port,
      path: target.path,
      lookup: fixedLookup(decision.addresses),
      // A pooled connection would bypass the check of the current addresses.
      agent: false,
    },
    headers: {
      ...endToEndHeaders(request.rawHeaders, ['proxy-authorization']),
      // A server with several sites selects one by this header. It must be the requested host.
      host: [target.port === 80 ? name.replace(/:80$/, '') : name],
    },
  });
}

async function tunnel(
  context: AllowContext,
  request: IncomingMessage,
  inside: Duplex,
  head: Buffer,
): Promise<void> {
  inside.on('error', () => undefined);
  context.tunnels.add(inside);
  inside.once('close', () => context.tunnels.delete(inside));
  const target = readProxyTarget('CONNECT', request.url ?? '');
  const decision = await decide(context, target);
  if (decision.type === 'stop' || target.type !== 'tunnel') {
    const { statusCode, message } = decision.type === 'stop' ? decision : { statusCode: 400, message: '' };
    endSocket(inside, statusCode, message);
    return;
  }
  if (inside.destroyed) return;
  const name = formatAuthority(target.host, target.port);
  await open(target, decision, inside).then(
    (outside) => {
      context.tunnels.add(outside);
      outside.once('close', () => context.tunnels.delete(outside));
      join(inside, outside, head);
    },
    (error: unknown) => endSocket(inside, 502, `${unreachable(name, decision.proxy)} (${codeOf(error)}).`),
  );
}

type Going = Extract<Decision, { readonly type: 'go' }>;

/** Connects. The end of the guest's socket ends the attempt. */
async function open(
  { host, port }: Destination,
  { addresses, proxy }: Going,
  inside: Duplex,
): Promise<Socket> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  inside.once('close', leave);
  try {
    if (proxy !== undefined) {
      return await openTunnel(proxy, { host, port }, { signal: gone.signal, allowHalfOpen: true });
    }
    const socket = connect({ host, port, lookup: fixedLookup(addresses), allowHalfOpen: true });
    gone.signal.addEventListener('abort', () => socket.destroy());
    await once(socket, 'connect', { signal: gone.signal });
    return socket;
  } finally {
    inside.off('close', leave);
  }
}

function join(inside: Duplex, outside: Socket, head: Buffer): void {
  outside.on('error', () => inside.destroy());
  inside.once('close', () => outside.destroy());
  if (inside.destroyed) {
    outside.destroy();
    return;
  }
  inside.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) outside.write(head);
  inside.pipe(outside).pipe(inside);
}

function unreachable(name: string, proxy: EnvironmentProxy | undefined): string {
  const through =
    proxy === undefined ? '' : ` through the proxy ${proxy.url.origin} of \`${proxy.variable}\``;
  return `\`${name}\` cannot be reached${through}`;
}

function codeOf(error: unknown): string {
  const failure = connectionFailure(error);
  if (failure !== undefined) return failure.code;
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** Address of a target. A tunnel can carry any protocol, and is most often one with TLS. */
function urlOf(target: Exclude<ProxyTarget, { readonly type: 'invalid' }>): URL {
  const authority = formatAuthority(target.host, target.port);
  return new URL(`${target.type === 'tunnel' ? 'https' : 'http'}://${authority}`);
}

async function decide(context: AllowContext, target: ProxyTarget): Promise<Decision> {
  if (target.type === 'invalid') return { type: 'stop', statusCode: 400, message: target.message };
  const { host, port }: Destination = target;
  let proxy: EnvironmentProxy | undefined;
  try {
    proxy = proxyFor(urlOf(target));
  } catch (error) {
    return { type: 'stop', statusCode: 502, message: error instanceof Error ? error.message : String(error) };
  }
  const permission = await permitTarget(context.rules, { host, port }, context.resolve);
  if (permission.type === 'permit') return { type: 'go', addresses: permission.addresses, proxy };
  if (!permission.isPolicy) {
    // Behind a proxy, the host often cannot resolve the names of the internet. The proxy resolves them.
    if (proxy !== undefined) return { type: 'go', addresses: [], proxy };
    return { type: 'stop', statusCode: 502, message: permission.message };
  }
  context.onRefusal(host, permission.message);
  return { type: 'stop', statusCode: 403, message: permission.message };
}

/** Connects only to the checked addresses, even if the name now resolves to others. */
function fixedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first = { address: '', family: 4 }] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function endSocket(socket: Duplex, statusCode: number, message: string): void {
  const body = problemBody(message);
  const reason =
    { 400: 'Bad Request', 403: 'Forbidden', 501: 'Not Implemented' }[statusCode] ?? 'Bad Gateway';
  socket.end(
    `HTTP/1.1 ${statusCode} ${reason}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
