/**
 * Tests of clients that send slowly, disconnect early, send twice, or read while others write. Each
 * gets its own data exactly once.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueToken } from '../../packages/server/src/tokens/access-token.ts';
import { startServer, type TestServer } from '../../packages/server/src/http/test-server.ts';

const REQUEST_TIMEOUT_MS = 1_000;
const PATIENCE = { timeout: 120_000 };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    limits: { requestsPerMinute: 100_000, concurrentRequests: 1_000 },
  });
});
afterAll(() => server.close());

/** A connection that records everything it receives. */
function dial(): { readonly socket: Socket; heard: () => string; readonly closed: Promise<unknown> } {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  return { socket, heard: () => text, closed: new Promise((resolve) => socket.once('close', resolve)) };
}

function head(body: string, more: readonly string[] = []): string {
  const lines = [
    'POST /api/chats HTTP/1.1',
    `host: ${new URL(server.url).host}`,
    `authorization: Bearer ${server.token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

async function drip(socket: Socket, text: string): Promise<void> {
  for (const byte of text) {
    if (socket.destroyed) return;
    socket.write(byte);
    await sleep(50);
  }
}

const countChats = async (): Promise<number> =>
  (await server.ask('GET', '/api/chats?limit=200')).json.chats.length;

it('a client that sends its headers or body byte by byte is disconnected, and others are served', async () => {
  const before = await countChats();
  const body = JSON.stringify({ content: 'x'.repeat(2_000) });
  const slowHead = dial();
  const slowBody = dial();
  slowBody.socket.write(head(body));
  const dripping = [drip(slowHead.socket, head(body) + body), drip(slowBody.socket, body)];
  const served = await Promise.all(
    Array.from({ length: 10 }, () => server.ask('POST', '/api/chats', { body: { content: 'quick' } })),
  );
  expect(served.map(({ status }) => status)).toEqual(served.map(() => 201));
  await Promise.all([slowHead.closed, slowBody.closed, ...dripping]);
  for (const { heard } of [slowHead, slowBody]) expect(heard()).toMatch(/^(HTTP\/1\.1 408 |$)/u);
  expect(await countChats()).toBe(before + 10);
  // A client's slowness is not the server's fault.
  expect(server.faults).toEqual([]);
});

it('a client that disconnects during a request and repeats it with its key has one chat, and one answer', async () => {
  const before = await countChats();
  const text = JSON.stringify({ content: 'once' });
  for (const sentBytes of [0, 5, text.length]) {
    const key = crypto.randomUUID();
    const leaving = dial();
    await new Promise<void>((resolve) => {
      leaving.socket.write(head(text, [`idempotency-key: ${key}`]) + text.slice(0, sentBytes), () =>
        resolve(),
      );
    });
    leaving.socket.destroy();
    await leaving.closed;
    const again = { raw: text, headers: { 'idempotency-key': key } };
    const both = await Promise.all([1, 2].map(() => server.ask('POST', '/api/chats', again)));
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(both[0]?.json).toEqual(both[1]?.json);
  }
  await expect.poll(countChats, PATIENCE).toBe(before + 3);
  expect(server.faults).toEqual([]);
});

it('500 chats are listed page by page without loss or duplicates while new ones are created', async () => {
  const create = async (): Promise<string> => {
    const { chat } = await server.machine.createChat({
      owner: 'many',
      model: 'scripted:a',
      message: { parts: [{ type: 'text', text: 'x' }] },
    });
    return chat.id;
  };
  const made: string[] = [];
  // Several share a millisecond.
  while (made.length < 500) made.push(...(await Promise.all(Array.from({ length: 20 }, create))));
  const { token } = await issueToken(server.store, { name: 'many', owner: 'many' });
  const listed: string[] = [];
  let after = '';
  do {
    const [page] = await Promise.all([server.ask('GET', `/api/chats?limit=37${after}`, { token }), create()]);
    expect(page.status).toBe(200);
    listed.push(...page.json.chats.map(({ id }) => id));
    after = page.json.next === undefined ? '' : `&after=${encodeURIComponent(page.json.next)}`;
  } while (after !== '');
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((id) => made.includes(id)).sort()).toEqual(made.sort());
});
