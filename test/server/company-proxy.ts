/**
 * Network of a company: names that only the proxy can resolve, and a proxy with a login. Two upstream
 * servers answer all names, one of them with TLS.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as send, type Server } from 'node:http';
import { connect, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

/** The login of the proxy, which no output may contain. */
export const LOGIN = { user: 'ann', password: 'pass-of-the-proxy' };

export interface CompanyProxy extends AsyncDisposable {
  /** With the login. */
  readonly url: string;
  readonly origin: string;
  /** A file with the certificate of the upstream, for `NODE_EXTRA_CA_CERTS`. */
  readonly certificate: string;
  /** What the proxy got: `CONNECT host:port`, or a method with the origin. */
  readonly seen: string[];
}

interface ProxyOptions {
  /** Ports of upstreams by a part of the host's name. */
  readonly ports: Readonly<Record<string, number>>;
}

export async function companyProxy({ ports }: ProxyOptions): Promise<CompanyProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-proxy-'));
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  const subject = ['-subj', '/CN=*.service.test', '-addext', 'subjectAltName=DNS:*.service.test'];
  const kind = ['-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', '-batch'];
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const portOf = (host: string): number =>
    Object.entries(ports).find(([part]) => host.startsWith(part))?.[1] ?? 0;
  const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    const upstream = connect(portOf(String(socket.servername)), '127.0.0.1');
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  await listen(tls);
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const expected = `Basic ${Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString('base64')}`;
  const proxy = createServer((request, response) => {
    if (request.headers['proxy-authorization'] !== expected) {
      response.writeHead(407).end();
      return;
    }
    const target = new URL(request.url ?? '');
    seen.push(`${request.method} ${target.origin}`);
    const { 'proxy-authorization': _login, ...headers } = request.headers;
    const path = `${target.pathname}${target.search}`;
    const { method } = request;
    const port = portOf(target.hostname);
    const forwarded = send({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  proxy.on('connect', (request, socket, head) => {
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    seen.push(`CONNECT ${request.url}`);
    const upstream = connect((tls.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  for (const server of [proxy, tls]) server.on('connection', (socket: Socket) => sockets.add(socket));
  await listen(proxy);
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://${LOGIN.user}:${LOGIN.password}@127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    certificate,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([proxy, tls].map((server) => new Promise((resolve) => server.close(resolve))));
      rmSync(folder, { recursive: true });
    },
  };
}

async function listen(server: Server | TcpServer): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
