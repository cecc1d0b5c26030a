/** Proxies of the environment that fail, with and without Node's own switch, which is read when a process starts. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { execa } from 'execa';
import { bundledHost } from '../../../../test/bundled-host.ts';
import { closedPort } from './test-closed-port.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A proxy that wants a login, and its address. */
async function refusingProxy(): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(407).end());
  server.on('connect', (_request, socket) =>
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  );
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HOST = await bundledHost(new URL('../test-proxied-asker.ts', import.meta.url));

it.each([
  ['http://service.invalid', {}],
  ['https://service.invalid', {}],
  ['https://service.invalid', { NODE_USE_ENV_PROXY: '1' }],
])(
  'a proxy that refuses, and one that does not answer, are named for %s with %o',
  { timeout: 240_000 },
  async (origin, node) => {
    const ask = async (proxy: string): Promise<string> => {
      const env = { ...node, HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: '' };
      return (await execa(process.execPath, [HOST, `${origin}/v1`], { env })).stdout;
    };
    const refusing = await refusingProxy();
    expect(await ask(refusing)).toBe(
      `unreachable The proxy of this machine refused to connect to ${origin} (status 407). Check its rules and its login in \`HTTPS_PROXY\`, or add the host to \`NO_PROXY\`.`,
    );
    const closed = `http://127.0.0.1:${await closedPort()}`;
    expect(await ask(closed)).toBe(
      `unreachable The proxy at ${closed} does not answer (ECONNREFUSED), so ${origin} cannot be reached. Start it, or correct \`HTTPS_PROXY\` and \`HTTP_PROXY\`. Tried 3 times.`,
    );
  },
);
