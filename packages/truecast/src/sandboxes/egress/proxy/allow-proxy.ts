/**
 * HTTP proxy on the host for `egress: { allow }`. It listens on a socket file and connects only to
 * listed hosts.
 *
 * program → 127.0.0.1 → forwarder (inside) → socket file → this proxy (host) → the checked address
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
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
  | { readonly type: 'go'; readonly addresses: readonly ResolvedAddress[] }
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
  const outside = connect({
    host: target.host,
    port: target.port,
    lookup: fixedLookup(decision.addresses),
    allowHalfOpen: true,
  });
  context.tunnels.add(outside);
  join(inside, outside, head, formatAuthority(target.host, target.port));
  outside.once('close', () => context.tunnels.delete(outside));
}

function join(inside: Duplex, outside: Socket, head: Buffer, name: string): void {
  let isJoined = false;
  outside.once('connect', () => {
    isJoined = true;
    inside.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) outside.write(head);
    inside.pipe(outside).pipe(inside);
  });
  outside.on('error', (error) => {
    if (isJoined) inside.destroy();
    else {
      endSocket(
        inside,
        502,
        `\`${name}\` cannot be reached (${'code' in error ? String(error.code) : 'unknown'}).`,
      );
    }
  });
  inside.once('close', () => outside.destroy());
}

async function decide(context: AllowContext, target: ProxyTarget): Promise<Decision> {
  if (target.type === 'invalid') return { type: 'stop', statusCode: 400, message: target.message };
  const { host, port }: Destination = target;
  const permission = await permitTarget(context.rules, { host, port }, context.resolve);
  if (permission.type === 'permit') return { type: 'go', addresses: permission.addresses };
  if (!permission.isPolicy) return { type: 'stop', statusCode: 502, message: permission.message };
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
