/** Tests of the host-side proxy of `egress: { allow }`, with real sockets. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import {
  createConnection,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAllowProxy, type AllowProxy } from './allow-proxy.ts';
import { parseAllowRules } from '../../../ports/allow-rules.ts';

let web: Server;
let echo: TcpServer;
let proxy: AllowProxy;
let seen: {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}[];
let refused: string[];
let resolved: string[];

const portOf = (server: Server | TcpServer): number => (server.address() as AddressInfo).port;

async function start(allow: readonly string[]): Promise<void> {
  proxy = await startAllowProxy({
    rules: parseAllowRules(allow),
    onRefusal: (host) => refused.push(host),
    resolve: (host) => {
      resolved.push(host);
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    },
  });
}

/** Writes bytes to the proxy as a guest would, and returns its whole answer. */
async function send(bytes: string): Promise<string> {
  const socket = createConnection(proxy.socketPath);
  socket.write(bytes);
  return text(socket);
}

const get = (url: string, headers = ''): Promise<string> =>
  send(`GET ${url} HTTP/1.1\r\nHost: whatever\r\n${headers}Connection: close\r\n\r\n`);

beforeEach(async () => {
  seen = [];
  refused = [];
  resolved = [];
  web = createHttpServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      response.end('web');
    });
  }).listen(0, '127.0.0.1');
  echo = createTcpServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await Promise.all([once(web, 'listening'), once(echo, 'listening')]);
});

afterEach(async () => {
  await proxy.close();
  web.closeAllConnections();
  web.close();
  echo.close();
});

describe('a request for a listed URL', () => {
  it('arrives with the name of its URL, and without what was meant for the proxy', async () => {
    const port = portOf(web);
    await start([`site.example:${port}`, `127.0.0.1:${port}`]);
    const answer = await get(
      `http://SITE.example:${port}/a?b`,
      'Proxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\nX-Own: kept\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK[^]*\r\n\r\n[^]*web/);
    expect(seen).toMatchObject([{ url: '/a?b', headers: { host: `site.example:${port}`, 'x-own': 'kept' } }]);
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith('proxy-'))).toEqual([]);
  });

  it('carries its body, whatever its method, as one request', async () => {
    const port = portOf(web);
    await start([`127.0.0.1:${port}`]);
    const hidden = `GET /hidden HTTP/1.1\r\nHost: other.example\r\n\r\n`;
    const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    for (const method of ['GET', 'POST', 'DELETE']) {
      await send(
        `${method} http://127.0.0.1:${port}/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunked}`,
      );
    }
    const listed = `POST http://127.0.0.1:${port}/y HTTP/1.1\r\nHost: h\r\nContent-Length: ${hidden.length}\r\nConnection: close, content-length\r\n\r\n${hidden}`;
    await send(listed);
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/x', hidden],
      ['POST', '/x', hidden],
      ['DELETE', '/x', hidden],
      ['POST', '/y', hidden],
    ]);
  });

  it('is not carried when its length is ambiguous, or its head is broken', async () => {
    const port = portOf(web);
    await start([`127.0.0.1:${port}`]);
    const url = `http://127.0.0.1:${port}/`;
    for (const head of [
      'Content-Length: 4\r\nTransfer-Encoding: chunked',
      'Content-Length: 4\r\nContent-Length: 5',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
      'Transfer-Encoding : chunked',
      'X: a\nY: b\r\n Z: folded',
    ]) {
      await send(`POST ${url} HTTP/1.1\r\nHost: h\r\n${head}\r\n\r\n0\r\n\r\n`);
    }
    expect(seen).toEqual([]);
  });

  it('is looked at anew on a connection that carried another', async () => {
    const port = portOf(web);
    await start([`127.0.0.1:${port}`]);
    const first = `GET http://127.0.0.1:${port}/1 HTTP/1.1\r\nHost: h\r\n\r\n`;
    const second = 'GET http://evil.test/2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';
    const answer = await send(first + second);
    expect(answer).toMatch(/^HTTP\/1.1 200 [^]*HTTP\/1.1 403 /);
    expect(seen.map(({ url }) => url)).toEqual(['/1']);
  });
});

describe('a tunnel', () => {
  it('carries bytes both ways to a listed host and port, also those sent with the request', async () => {
    const port = portOf(echo);
    await start([`db.example:${port}`, `127.0.0.1:${port}`]);
    const socket = createConnection(proxy.socketPath);
    socket.write(`CONNECT db.example:${port} HTTP/1.1\r\nHost: h\r\n\r\nping`);
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) {
      answer += String(chunk);
      // Data that the server sends after the client's last write arrives too.
      if (answer.endsWith('ping')) socket.end(' pong');
    }
    expect(answer).toBe('HTTP/1.1 200 Connection established\r\n\r\nping pong');
    expect(resolved).toEqual(['db.example']);
  });

  it('is cut when the proxy ends', async () => {
    const port = portOf(echo);
    await start([`127.0.0.1:${port}`]);
    const socket = createConnection(proxy.socketPath);
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: h\r\n\r\n`);
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await proxy.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it('that cannot be opened is answered with 502', async () => {
    const port = portOf(echo);
    await start([`127.0.0.1:${port}`]);
    echo.close();
    await once(echo, 'close');
    expect(await send(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: h\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 502 [^]*ECONNREFUSED/,
    );
  });
});

describe('what is not listed', () => {
  it('is answered with 403 and the reason, reported by its host, and not resolved', async () => {
    await start(['ok.example']);
    const answers = await Promise.all([
      send('CONNECT evil.test:443 HTTP/1.1\r\nHost: ok.example\r\n\r\n'),
      get('http://EVIL.test./x', 'Host: ok.example\r\n'),
      send('CONNECT ok.example:22 HTTP/1.1\r\nHost: ok.example\r\n\r\n'),
      send('CONNECT 2130706433:443 HTTP/1.1\r\nHost: ok.example\r\n\r\n'),
    ]);
    for (const answer of [answers[0], answers[2], answers[3]]) {
      expect(answer).toMatch(/^HTTP\/1.1 403 Forbidden\r\n[^]*is not listed in `egress.allow`/);
    }
    expect(refused.sort()).toEqual(['127.0.0.1', 'evil.test', 'evil.test', 'ok.example']);
    expect(resolved).toEqual([]);
  });

  it('is a listed name that leads to this machine', async () => {
    const port = portOf(web);
    await start([`rebound.example:${port}`]);
    expect(await get(`http://rebound.example:${port}/`)).toMatch(
      /403 Forbidden[^]*not on the public internet/,
    );
    expect(seen).toEqual([]);
  });

  it.each([
    'GET / HTTP/1.1',
    'GET http://user:pass@ok.example/ HTTP/1.1',
    'GET http://ok.example:80@evil.test/ HTTP/1.1',
    'CONNECT ok.example:443@evil.test HTTP/1.1',
    'GET https://ok.example/ HTTP/1.1',
    'TRACE http://ok.example/ HTTP/1.1',
  ])('is answered with 400 where it is no plain host: %s', async (line) => {
    await start(['ok.example']);
    expect(await send(`${line}\r\nHost: ok.example\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
    expect(resolved).toEqual([]);
  });

  it('is a change of protocol in the clear', async () => {
    await start(['ok.example']);
    expect(
      await send(
        'GET http://ok.example/ HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1.1 501 /);
  });
});
