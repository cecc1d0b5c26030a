import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { bindServer } from './bind-server.ts';

/** Longer than the timeout of a test: a shutdown that waits for it fails. */
const GRACE_MS = 600_000;

it('closes without the grace period while a browser keeps the connection of an ended stream', async () => {
  const closing = new AbortController();
  const fetch = (): Response => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(': open\n\n'));
        closing.signal.addEventListener('abort', () => controller.close());
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const server = await bindServer({ fetch, host: '127.0.0.1', port: 0, graceMs: GRACE_MS });
  const agent = new Agent({ keepAlive: true });
  const response: IncomingMessage = await new Promise((resolve) => get(server.url, { agent }, resolve));
  await once(response, 'data');
  const closed = server.close();
  closing.abort();
  response.resume();
  await closed;
  expect(response.headers.connection).toBe('keep-alive');
  agent.destroy();
});

it('closes without the grace period while a connection that a browser opened in advance is silent', async () => {
  const fetch = (): Response => new Response('ok');
  const server = await bindServer({ fetch, host: '127.0.0.1', port: 0, graceMs: GRACE_MS });
  const { hostname, port } = new URL(server.url);
  const silent = connect(Number(port), hostname).resume();
  await once(silent, 'connect');
  // The server has accepted it before this later connection.
  await (await globalThis.fetch(server.url)).text();
  const ended = once(silent, 'close');
  await server.close();
  await ended;
  expect(silent.bytesRead).toBe(0);
});
