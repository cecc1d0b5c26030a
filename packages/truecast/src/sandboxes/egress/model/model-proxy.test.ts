/** Model proxy under malformed and ambiguous HTTP, written byte by byte to its socket. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEgressTeller } from '../../../ports/egress-observer.ts';
import { startModelProxy, type ModelProxy } from './model-proxy.ts';

const KEY = 'sk-live-0123456789abcdef';

let seen: string[];
let model: Server;
let proxy: ModelProxy;
let answer: { readonly encoding?: string; readonly body: Buffer };

beforeEach(async () => {
  seen = [];
  answer = { body: Buffer.from('answer') };
  model = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const names = Object.keys(request.headers).filter((name) => name !== 'host');
      seen.push(`${request.method} ${request.url} ${JSON.stringify(body)} ${names.join()}`);
      if (answer.encoding !== undefined) response.setHeader('content-encoding', answer.encoding);
      // Each byte is a chunk, so that each border is inside the key once.
      for (const byte of answer.body) response.write(Buffer.of(byte));
      response.end();
    })();
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
  const { port } = model.address() as AddressInfo;
  proxy = await startModelProxy({
    teller: createEgressTeller(),
    access: {
      upstreamUrl: `http://127.0.0.1:${port}/base`,
      headers: { 'x-api-key': KEY },
      environment: () => ({}),
      secretNames: [],
    },
  });
});
afterEach(async () => {
  await proxy.close();
  model.closeAllConnections();
  model.close();
});

/** Sends bytes on one connection, and returns all that came back. */
async function send(text: string): Promise<string> {
  const socket = connect(proxy.socketPath);
  socket.write(text);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

const statusesOf = (text: string): string[] => text.match(/(?<=^HTTP\/1\.1 )\d+/gm) ?? [];
const HIDDEN = 'POST /v1/files HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n';
const LAST = 'GET /v1/models HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';

describe('the model proxy', () => {
  it.each([
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 51'],
    ['a length and chunks', 'Content-Length: 51\r\nTransfer-Encoding: chunked'],
    ['chunks named twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'],
    ['unknown framing', 'Transfer-Encoding: xchunked'],
    ['a length with a sign', 'Content-Length: +51'],
    ['a length in another base', 'Content-Length: 0x33'],
    ['a space before a colon', 'Content-Length : 51'],
    ['a folded header', 'X-A: b\r\n Content-Length: 51'],
    ['a line feed alone', 'X-A: b\nContent-Length: 51'],
    ['two hosts', 'Host: other'],
  ])('sends no hidden request to the model after a head with %s', async (_title, headers) => {
    const head = `POST /v1/messages/count_tokens HTTP/1.1\r\nHost: h\r\n${headers}\r\n\r\n`;
    await send(`${head}${HIDDEN}${LAST}`);
    for (const request of seen) {
      expect(request).toMatch(/^(?:POST \/base\/v1\/messages\/count_tokens|GET \/base\/v1\/models) /);
    }
  });

  it.each([
    '/v1/%6dodels',
    '/v1/models%00',
    '/v1/models/',
    '//v1/models',
    '/v1//models',
    '/v1/models/..;/files',
    '/v1/models/%2e%2e/files',
    '/v1/models/a%2f..%2f..%2ffiles',
    '/v1/models/\\..\\files',
    '/v1/models;/../files',
    '/v1/models#/files',
    '/V1/MODELS',
    'http://h/v1/models',
    '*',
  ])('refuses a GET of %s', async (target) => {
    const got = await send(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
    expect(statusesOf(got).filter((status) => !status.startsWith('4'))).toEqual([]);
    expect(seen).toEqual([]);
  });

  it.each(['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'get', 'PRI'])(
    'refuses %s',
    async (method) => {
      await send(`${method} /v1/models HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
      expect(seen).toEqual([]);
    },
  );

  it('does not forward trailers, or headers that the connection lists', async () => {
    const head =
      'POST /v1/messages/count_tokens HTTP/1.1\r\nHost: h\r\nConnection: close, X-Api-Key, Accept-Encoding\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n';
    await send(`${head}1\r\nx\r\n0\r\nAuthorization: Bearer guest\r\n\r\n`);
    expect(seen).toEqual([
      'POST /base/v1/messages/count_tokens "x" accept-encoding,x-api-key,transfer-encoding,connection',
    ]);
  });

  it('closes a connection whose head is larger than 16 KiB', async () => {
    await send(`GET /v1/models HTTP/1.1\r\nHost: h\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(seen).toEqual([]);
  });

  it.each([
    [undefined, (text: string) => Buffer.from(text)],
    ['gzip', gzipSync],
    ['X-GZip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])(
    'masks the key in an answer with the encoding %s that arrives byte by byte',
    async (encoding, encode) => {
      answer = { body: encode(`<${KEY}>`), ...(encoding !== undefined && { encoding }) };
      const got = await send(LAST);
      expect(statusesOf(got)).toEqual(['200']);
      // Chunked framing can be between any two bytes.
      expect(got.replaceAll(/\r\n(?:[0-9a-f]+\r\n)?/g, '')).toContain(`<${'*'.repeat(KEY.length)}>`);
    },
  );

  it.each(['gzip, gzip', 'gzip, br', 'compress', 'aws-chunked'])(
    'returns no answer with the encoding %s',
    async (encoding) => {
      answer = { encoding, body: Buffer.from(KEY) };
      const got = await send(LAST);
      expect(statusesOf(got)).toEqual(['502']);
      expect(got).not.toContain(KEY);
    },
  );
});
