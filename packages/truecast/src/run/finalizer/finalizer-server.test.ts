import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createFinalizer, type Finalizer } from '@truecast/core/internal/output/finalizer/finalizer';
import { FINALIZER_NAME, finalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { Output } from '@truecast/core/internal/output/output';
import { makeFinalizerFolder, type FinalizerFolder } from './finalizer-folder.ts';
import { startFinalizerServer, type FinalizerServer } from './finalizer-server.ts';

const definition = Output.json({});
const MAX_LINE_CHARS = 10_000;
let folder: FinalizerFolder;
let server: FinalizerServer;
let finalizer: Finalizer;

beforeEach(async () => {
  folder = await makeFinalizerFolder();
  server = await startFinalizerServer({
    folder: folder.hostPath,
    tool: finalizerTool(definition),
    maxLineChars: MAX_LINE_CHARS,
  });
  finalizer = createFinalizer(definition);
  server.serve(finalizer);
});
afterEach(async () => {
  await server.close();
  await folder.remove();
});

async function connect(): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' });
  const { command, args } = folder.command(server, 'none');
  await client.connect(new StdioClientTransport({ command, args: [...args] }));
  return client;
}

/** Writes protocol messages by hand. A library would reformat numbers. */
async function exchange(...lines: readonly string[]): Promise<string[]> {
  const socket = createConnection(join(folder.hostPath, server.socketName));
  socket.write(`${lines.join('\n')}\n`);
  const answers: string[] = [];
  for await (const line of createInterface({ input: socket })) {
    answers.push(line);
    if (answers.length === lines.length) break;
  }
  socket.destroy();
  return answers;
}

function call(id: number, argumentsText: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${FINALIZER_NAME}","arguments":${argumentsText}}}`;
}

it('offers one tool to an agent that starts the bridge', async () => {
  const client = await connect();
  expect(server.wasAsked).toBe(false);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([FINALIZER_NAME]);
  expect(tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['output'] });
  expect(server.wasAsked).toBe(true);
  await client.close();
});

it('reports to a watching adapter that an agent has started the bridge, and that it has the tools', async () => {
  const watcher = createConnection(folder.command(server, 'none').watchSocket ?? '');
  const reports = createInterface({ input: watcher })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => (await reports.next()).value;
  expect(await next()).toBe('accepted');
  const client = await connect();
  expect(await next()).toBe('started');
  await client.listTools();
  expect(await next()).toBe('listed');
  watcher.destroy();
  await client.close();
});

it('answers a wrong call with an error and a right one without', async () => {
  const strict = createFinalizer(Output.object({ schema: z.object({ a: z.number() }) }));
  server.serve(strict);
  const client = await connect();
  const ask = (output: unknown): Promise<unknown> =>
    client.callTool({ name: FINALIZER_NAME, arguments: { output } });

  expect(await ask({ a: 'x' })).toMatchObject({ isError: true });
  const accepted = await ask({ a: 1 });
  expect(accepted).toMatchObject({ content: [{ type: 'text', text: expect.stringContaining('Accepted') }] });
  expect(accepted).not.toMatchObject({ isError: true });
  expect(await ask({ a: 2 })).toMatchObject({ isError: true });
  expect(await strict.settle()).toMatchObject({ output: { a: 1 } });
  await client.close();
});

it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'])(
  'speaks protocol version %s with an agent that asks for it',
  async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'agent', version: '1' } };
    const [initialized, listed, accepted] = await exchange(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      call(3, '{"output":1}'),
    );
    expect(initialized).toContain(`"protocolVersion":"${protocolVersion}"`);
    expect(listed).toContain(`"name":"${FINALIZER_NAME}"`);
    expect(accepted).toContain('Accepted');
  },
);

it('answers an unknown protocol version with the newest one it speaks, and an unknown method with an error', async () => {
  const params = { protocolVersion: '2026-07-28', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const [unknown, initialized] = await exchange(
    '{"jsonrpc":"2.0","id":1,"method":"server/discover"}',
    JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'initialize', params }),
  );
  expect(unknown).toContain('-32601');
  expect(initialized).toContain('"protocolVersion":"2025-11-25"');
});

it('judges the arguments as they were written', async () => {
  const [doubled] = await exchange(call(1, '{"output":{"a":1,"a":2}}'));
  expect(doubled).toContain('is repeated');
  const [accepted] = await exchange(call(2, '{ "output" : 1.50 }'));
  expect(accepted).toContain('Accepted');
  expect(await finalizer.settle()).toMatchObject({ provenance: { raw: '1.50' } });
});

it('answers calls whose connections share an id each with its own', async () => {
  const [[first], [second]] = await Promise.all([
    exchange(call(1, '{"output":"one"}')),
    exchange(call(1, '{"output":"two"}')),
  ]);
  expect([first, second].filter((answer) => answer?.includes('Accepted'))).toHaveLength(1);
});

it('takes nothing between turns', async () => {
  server.serve(undefined);
  const [answer] = await exchange(call(1, '{"output":1}'));
  expect(answer).toContain('No answer is expected');
});

it('knows no other tool, and takes a call without arguments for an empty one', async () => {
  const [other, empty] = await exchange(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}',
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"${FINALIZER_NAME}"}}`,
  );
  expect(other).toContain('There is no tool `rm`');
  expect(empty).toContain(String.raw`the one key \"output\"`);
});

it('goes on after a line that is no message, and hangs up on one without an end', async () => {
  const socket = createConnection(join(folder.hostPath, server.socketName));
  socket.write(`what?\n${call(1, '{"output":1}')}\n`);
  const [answer] = await new Promise<string[]>((resolve) => {
    socket.once('data', (data: Buffer) => resolve(data.toString().split('\n')));
  });
  expect(answer).toContain('Accepted');
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
  });
  socket.on('error', () => undefined);
  socket.write(`${'x'.repeat(MAX_LINE_CHARS + 1)}\n`);
  await closed;
});

it('ends the bridge when it closes, and leaves nothing behind', async () => {
  const { command, args } = folder.command(server, 'none');
  const bridge = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  bridge.stdin.write(`${call(1, '{"output":1}')}\n`);
  await once(bridge.stdout, 'data');
  const ended = once(bridge, 'exit');
  await server.close();
  await ended;
  await folder.remove();
  expect(existsSync(join(folder.hostPath, '..'))).toBe(false);
});

it('keeps a socket’s path short, however long the path of temporary files is', async () => {
  const saved = process.env['TMPDIR'];
  process.env['TMPDIR'] = `/tmp/${'deep/'.repeat(20)}`;
  try {
    const elsewhere = await makeFinalizerFolder();
    expect(Buffer.byteLength(join(elsewhere.hostPath, server.socketName))).toBeLessThan(104);
    await elsewhere.remove();
  } finally {
    if (saved === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = saved;
  }
});

it('reads no further while calls are open that their caller does not read the answers of', async () => {
  const socket = createConnection(join(folder.hostPath, server.socketName));
  await once(socket, 'connect');
  const foreign = (id: number): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"no ${'x'.repeat(5_000)}","arguments":{}}}\n`;
  // Writes without reading until the server applies backpressure.
  socket.pause();
  let sent = 0;
  for (let isTaken = true; isTaken && sent < 20_000;) {
    sent += 1;
    const written = new Promise<boolean>((resolve) => {
      socket.write(foreign(sent), () => resolve(true));
    });
    isTaken = await Promise.race([written, delay(1_000, false)]);
  }
  expect(sent).toBeLessThan(2_000);
  let answers = 0;
  for await (const line of createInterface({ input: socket })) {
    expect(line).toContain('There is no tool');
    answers += 1;
    if (answers === sent) break;
  }
  socket.destroy();
});

it('ends a connection when all together hold more unfinished messages than one may be long', async () => {
  const connections = Array.from({ length: 4 }, () =>
    createConnection(join(folder.hostPath, server.socketName)),
  );
  let ended = 0;
  for (const socket of connections) {
    socket.on('error', () => undefined).on('close', () => (ended += 1));
    socket.resume().write('x'.repeat(MAX_LINE_CHARS - 1_000));
  }
  await expect.poll(() => ended).toBe(2);
  for (const socket of connections) socket.destroy();
});

it('ends a connection that uses an id twice at once', async () => {
  const socket = createConnection(join(folder.hostPath, server.socketName));
  socket.write(`${call(1, '{"output":1}')}\n${call(1, '{"output":1}')}\n`);
  await once(socket.resume(), 'close');
});

it('takes no more than 32 connections at once', async () => {
  const sockets = Array.from({ length: 40 }, () =>
    createConnection(join(folder.hostPath, server.socketName)),
  );
  let dropped = 0;
  for (const socket of sockets) socket.on('error', () => undefined).on('close', () => (dropped += 1));
  await expect.poll(() => dropped).toBe(8);
  for (const socket of sockets) socket.destroy();
});
