/**
 * Tests of the client with a real server, whose turns call a scripted model through a real
 * provider.
 */
import { once } from 'node:events';
import { createServer as createProxy, type Server } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/create-client.ts';
import type { ClientChat } from '../../packages/client/src/client-chat.ts';
import { tool } from '../../packages/client/src/client-tools.ts';
import { extractStructuredOutputValue } from '../../packages/client/src/extract-structured-output-value.ts';
import type { ChatStreamEvent } from '../../packages/client/src/wire/stream-event.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { clientServer } from './client-server.ts';

const submit = (output: unknown): ReturnType<typeof reply.toolText> =>
  reply.toolText(FINALIZER_NAME, JSON.stringify({ output }));
const bug = Output.object({ schema: z.object({ file: z.string(), line: z.number() }) });

it('returns the typed value and its receipt', async () => {
  await using server = await clientServer([submit({ file: 'a.ts', line: 7 })]);
  const chat = server.client.chat({ title: 'Bugs' });
  const { output: value, receipt, chatId, requestId } = await chat.ask({ prompt: 'Which?', output: bug });
  expect(value).toEqual({ file: 'a.ts', line: 7 });
  expect(receipt).toMatchObject({ status: 'succeeded', request_id: requestId, mode: 'tool' });
  expect(chat.id).toBe(chatId);
  const { messages } = await chat.messages();
  expect(extractStructuredOutputValue(messages)).toEqual(value);
  expect(extractStructuredOutputValue(messages.slice(0, 1))).toBeUndefined();
  expect((await chat.read()).title).toBe('Bugs');
});

it.each([302, 307])('sends neither token nor message after a redirect (%i), and names it', async (status) => {
  await using server = await clientServer([submit({ file: 'a.ts', line: 7 })]);
  const received: unknown[] = [];
  const elsewhere = createProxy((request, response) => {
    received.push([request.url, request.headers]);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const front = createProxy((request, response) => {
    response.writeHead(status, { location: `${addressOf(elsewhere)}${request.url}` }).end();
  });
  await Promise.all([elsewhere, front].map((one) => once(one.listen(0, '127.0.0.1'), 'listening')));
  const client = createClient({ baseURL: addressOf(front), token: server.token });
  await expect(client.chat().ask({ prompt: 'Which?', output: bug })).rejects.toMatchObject({
    code: 'invalid-response',
    statusCode: status,
    message: expect.stringContaining(`it redirects to ${addressOf(elsewhere)}/api/chats`) as string,
  });
  expect(received).toEqual([]);
  for (const one of [elsewhere, front]) one.close().closeAllConnections();
});

function addressOf(server: Server): string {
  const bound = server.address();
  return `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
}

it('wraps a schema that is not an object, and returns the plain value', async () => {
  await using server = await clientServer([submit({ value: ['a'] }), submit({ value: 'merge' })]);
  const chat = server.client.chat();
  const list = await chat.ask({ prompt: 'Which?', output: Output.array({ element: z.string() }) });
  expect(list.output).toEqual(['a']);
  const verdict = Output.choice({ options: ['merge', 'reject'] });
  expect((await chat.ask({ prompt: 'And?', output: verdict })).output).toBe('merge');
});

it('shows the growing list without its wrapper, and sends the ids that the caller chose', async () => {
  await using server = await clientServer([
    reply.toolText(FINALIZER_NAME, '{"output":{"value":["a","b"]}}', { chunkChars: 3, chunkDelayMs: 15 }),
  ]);
  const drafts: unknown[] = [];
  const chat = server.client.chat({ clientId: 'page-1' });
  const output = Output.array({ element: z.string() });
  await chat.ask({ prompt: 'Which?', output, onPartial: (draft) => drafts.push(draft) });
  expect(drafts).not.toEqual([]);
  expect(drafts.every((draft) => Array.isArray(draft))).toBe(true);
  const same = server.client.chat({ id: '~page-1' });
  expect((await same.read()).id).toBe(chat.id);
  const other = server.client.chat();
  await other.send({ content: 'Hi', client_id: 'first' });
  expect((await other.messages()).messages[0]?.client_id).toBe('first');
  expect(await other.read()).not.toHaveProperty('client_id');
});

it('refuses an integer that it would round, or returns all its digits as text', async () => {
  const text = '{"id":9007199254740993}';
  await using server = await clientServer(() => reply.toolText(FINALIZER_NAME, `{"output":${text}}`));
  const output = Output.object({ schema: z.object({ id: z.number() }) });
  const ask = (more: object): Promise<{ output: { id: number }; receipt: { value_text?: string } }> =>
    server.client.chat().ask({ prompt: 'Which?', output, ...more });
  await expect(ask({})).rejects.toMatchObject({
    name: 'StructuredOutputError',
    code: 'schema-mismatch',
    message: expect.stringMatching(
      /at id: .*9007199254740993.*`acceptsRounding`.*`receipt\.value_text`/u,
    ) as unknown,
    issues: [{ path: ['id'] }],
    rawMatched: text,
  });
  const { output: value, receipt } = await ask({ acceptsRounding: true });
  expect(value).toEqual({ id: 9007199254740992 });
  expect(receipt.value_text).toBe(text);
  const strict = Output.object({ schema: z.object({ id: z.number().refine((id) => id < 9) }) });
  const asked = server.client.chat().ask({ prompt: 'Which?', output: strict, acceptsRounding: true });
  await expect(asked).rejects.toMatchObject({ code: 'schema-mismatch', issues: [{ path: ['id'] }] });
});

it('applies the transforms and defaults of the caller’s schema', async () => {
  await using server = await clientServer([submit({ n: '3' })]);
  const schema = z.object({ n: z.string().transform(Number), unit: z.string().default('km') });
  const { output: value } = await server.client
    .chat()
    .ask({ prompt: 'How far?', output: Output.object({ schema }) });
  expect(value).toEqual({ n: 3, unit: 'km' });
});

it('refuses a value that the caller’s own refinement does not accept', async () => {
  await using server = await clientServer([submit({ n: 3 })]);
  const schema = z.object({ n: z.number().refine((n) => n % 2 === 0, 'Must be even') });
  const asking = server.client.chat().ask({ prompt: 'Even?', output: Output.object({ schema }) });
  await expect(asking).rejects.toMatchObject({ name: 'StructuredOutputError', code: 'schema-mismatch' });
});

it('reports why there is no answer', async () => {
  await using server = await clientServer(() => reply.text('No.'));
  const asking = server.client.chat().ask({ prompt: 'Which?', output: bug, limits: { text_only: 2 } });
  await expect(asking).rejects.toMatchObject({
    name: 'RequestEndedError',
    code: 'structured-output-not-produced',
    reason: 'text_only',
    receipt: { attempts: [{ code: 'text_only' }, { code: 'text_only' }] },
  });
});

it('runs the caller’s tools, and reports invalid calls to the model', async () => {
  const ran: string[] = [];
  const look = tool({
    description: 'Looks at a file.',
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => {
      ran.push(path);
      return { text: `content of ${path}` };
    },
  });
  await using server = await clientServer([
    reply.tool('look', { path: 1 }),
    reply.tool('look', { path: 'a.ts' }),
    submit({ file: 'a.ts', line: 1 }),
  ]);
  const events: ChatStreamEvent[] = [];
  const chat = server.client.chat({ tools: { look } });
  const { output: value } = await chat.ask({
    prompt: 'Which?',
    output: bug,
    onEvent: (event) => events.push(event),
  });
  expect(value).toEqual({ file: 'a.ts', line: 1 });
  expect(ran).toEqual(['a.ts']);
  expect(server.turns.scripted.turns[1]?.lastToolResult?.text).toContain('do not match the schema');
  expect(server.turns.scripted.turns[2]?.lastToolResult?.text).toContain('content of a.ts');
  const receipts = events.filter((event) => event.type === 'receipt').map(({ receipt }) => receipt.status);
  expect(receipts.at(-1)).toBe('succeeded');
});

it('runs a call once, however often the chat requests it, and shows only new text', async () => {
  await using server = await clientServer([
    reply.text('Hello.'),
    reply.tool('look', { path: 'a' }),
    submit({ file: 'a', line: 1 }),
    reply.text('Later.'),
  ]);
  let runs = 0;
  const look = tool({
    inputSchema: z.object({ path: z.string() }),
    async execute() {
      runs += 1;
      // The chat changes while it waits, and so reports its pending calls again.
      await chat.send({ content: 'Later' });
      await expect.poll(() => events.filter(({ type }) => type === 'action_required').length).toBe(2);
      return 'seen';
    },
  });
  const events: ChatStreamEvent[] = [];
  const chat = server.client.chat({ tools: { look } });
  await chat.send({ content: 'Hi' });
  await untilIdle(chat);
  await chat.ask({ prompt: 'Which?', output: bug, onEvent: (event) => events.push(event) });
  expect(runs).toBe(1);
  const first = events.find((event) => event.type === 'message');
  expect(first?.message.id).toBe(3);
  await untilIdle(chat);
});

it('shows the value while it is written', async () => {
  await using server = await clientServer([submit({ file: 'a-rather-long-name.ts', line: 7 })]);
  const partials: unknown[] = [];
  await server.client
    .chat()
    .ask({ prompt: 'Which?', output: bug, onPartial: (value) => partials.push(value) });
  for (const value of partials) expect(value).toBeTypeOf('object');
});

it('gets its answer through a connection that is lost repeatedly', async () => {
  await using server = await clientServer([
    reply.tool('look', { path: 'a' }),
    reply.tool('look', { path: 'b' }),
    submit({ file: 'b', line: 2 }),
  ]);
  const { port } = new URL(server.url);
  let connections = 0;
  const proxy = createProxy();
  proxy.on('connection', (socket) => {
    connections += 1;
    const upstream = connect(Number(port), '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    // Long enough for an answer, too short for the whole stream.
    setTimeout(() => socket.destroy(), 40 + connections * 20);
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const address = proxy.address();
  const proxyPort = typeof address === 'object' && address !== null ? address.port : 0;
  const client = createClient({
    baseURL: `http://127.0.0.1:${proxyPort}`,
    token: server.token,
    maxRetries: 8,
  });
  const ran: string[] = [];
  const look = tool({
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => {
      ran.push(path);
      await new Promise((resolve) => {
        setTimeout(resolve, 150);
      });
      return path;
    },
  });
  const events: ChatStreamEvent[] = [];
  const { output: value } = await client
    .chat({ tools: { look } })
    .ask({ prompt: 'Which?', output: bug, onEvent: (event) => events.push(event) });
  proxy.close();
  expect(value).toEqual({ file: 'b', line: 2 });
  expect(ran).toEqual(['a', 'b']);
  expect(connections).toBeGreaterThan(2);
  const ids = events.filter((event) => event.type === 'message').map(({ message }) => message.id);
  expect(ids).toEqual([...new Set(ids)]);
});

it('distinguishes a refusal, an unreachable server, and a server that is not Truecast', async () => {
  await using server = await clientServer([]);
  const { client } = server;
  await expect(client.chat({ id: 'none' }).read()).rejects.toMatchObject({
    name: 'ServerError',
    code: 'refused',
    statusCode: 404,
    problem: { code: 'chat_not_found' },
  });
  const stranger = createClient({ baseURL: server.url, token: 'tc_no' });
  await expect(stranger.models()).rejects.toMatchObject({
    statusCode: 401,
    problem: { code: 'unauthorized' },
  });
  const gone = createClient({ baseURL: 'http://127.0.0.1:1', token: 'x', maxRetries: 1 });
  await expect(gone.models()).rejects.toMatchObject({ code: 'unreachable' });
  const other = createClient({ baseURL: server.url, token: 'x', fetch: async () => new Response('<html>') });
  await expect(other.models()).rejects.toMatchObject({
    code: 'invalid-response',
    message: expect.stringMatching(/server: .*<html>.*JSON\. Check the address/u) as unknown,
    cause: expect.any(SyntaxError) as unknown,
  });
});

it('accepts members and events of a newer server', async () => {
  const fetch = async (): Promise<Response> =>
    Response.json({
      models: [
        { id: 'a', is_default: true, provider: 'openai', is_scripted: false, dialect: 'openai', later: 1 },
      ],
    });
  const client = createClient({ baseURL: 'http://127.0.0.1:1', token: 'x', fetch });
  expect(await client.models()).toMatchObject([{ id: 'a' }]);
});

it('supports all other operations of a chat', async () => {
  await using server = await clientServer([reply.text('One.'), reply.text('Two.')]);
  const { client } = server;
  expect(await client.models()).toEqual([
    {
      id: 'test:scripted',
      is_default: true,
      provider: 'openai-compatible',
      is_scripted: true,
      mode: 'tool',
      dialect: 'openai',
    },
  ]);
  const report = await client.validateFormat({
    type: 'json_schema',
    json_schema: { name: 'a', schema: { type: 'object' } },
  });
  expect(report.is_valid).toBe(true);
  const chat = client.chat();
  const sent = await chat.send({ content: 'Hi' });
  await untilIdle(chat);
  expect((await chat.messages({ after: 1 })).messages[0]).toMatchObject({
    content: [{ type: 'text', text: 'One.' }],
  });
  await chat.edit(1, { content: 'Ho' });
  await untilIdle(chat);
  expect((await chat.messages()).messages.at(-1)).toMatchObject({ content: [{ text: 'Two.' }] });
  expect(await chat.queue()).toEqual({ queued_messages: [] });
  expect((await client.patchChat(sent.chatId, { title: 'T' })).title).toBe('T');
  expect((await client.listChats({ limit: 5 })).chats.map(({ id }) => id)).toEqual([sent.chatId]);
  await client.deleteChat(sent.chatId);
  await expect(chat.read()).rejects.toMatchObject({ statusCode: 404 });
});

it('rejects invalid options before any request', async () => {
  for (const options of [
    { baseURL: 'no', token: 'x' },
    { baseURL: 'file:///x', token: 'x' },
    { baseURL: 'http://127.0.0.1', token: 'x', maxRetries: -1 },
  ]) {
    expect(() => createClient(options)).toThrow(expect.objectContaining({ name: 'UsageError' }));
  }
  const client = createClient({ baseURL: 'http://127.0.0.1:1', token: 'x' });
  expect(() => client.chat().events()).toThrow(expect.objectContaining({ name: 'UsageError' }));
  const asking = client.chat().ask({ prompt: 'x', output: Output.string({ tag: 'a' }) });
  await expect(asking).rejects.toMatchObject({ name: 'UsageError', code: 'unsupported' });
});

it('stops waiting when its signal aborts', async () => {
  await using server = await clientServer(() => reply.text('No.'), {});
  const stopping = new AbortController();
  const reason = new TypeError('enough');
  const onEvent = (): void => stopping.abort(reason);
  const asking = server.client.chat().ask({ prompt: 'x', output: bug, signal: stopping.signal, onEvent });
  await expect(asking).rejects.toBe(reason);
});

async function untilIdle(chat: ClientChat): Promise<void> {
  await expect.poll(async () => (await chat.read()).status, { timeout: 10_000 }).toBe('waiting');
}
