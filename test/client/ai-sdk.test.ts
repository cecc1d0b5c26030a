/** Tests of the AI SDK's transport: its own chat, a real server, and the scripted model. */
import {
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createChatTransport } from '../../packages/client/src/ai-sdk/chat-transport.ts';
import type { InferPageTools } from '@truecast/client/internal/ai-sdk/ui-message';
import { toUIMessages } from '../../packages/client/src/ai-sdk/to-ui-messages.ts';
import {
  resumeUIMessageStream,
  uiMessageStream,
} from '../../packages/client/src/ai-sdk/ui-message-stream.ts';
import type { TruecastUIMessage } from '../../packages/client/src/ai-sdk/ui-message.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { createClient } from '../../packages/client/src/create-client.ts';
import type { ScriptStep } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { clientServer, type ClientServer } from './client-server.ts';
import { plainParts, seeChunks, UiChat } from './ui-chat.ts';

const submit = (output: unknown): ReturnType<typeof reply.toolText> =>
  reply.toolText(FINALIZER_NAME, JSON.stringify({ output }), { chunkChars: 4, chunkDelayMs: 15 });
const bug = Output.object({ schema: z.object({ file: z.string(), line: z.number() }) });

let server: ClientServer;
let replies: (ScriptedReply | ScriptStep)[] = [];
/** The machine can be busy. */
const PATIENT = { timeout: 120_000 };

beforeAll(async () => {
  server = await clientServer((turn) => {
    const next = replies.shift();
    if (next === undefined) return reply.error(401);
    return typeof next === 'function' ? next(turn) : next;
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sets the next replies of the model. After them its service refuses. */
function play(script: readonly (ScriptedReply | ScriptStep)[]): void {
  replies = [...script];
}

it('streams text', async () => {
  play([reply.text('Hello, world.', { chunkChars: 3 })]);
  const seen = seeChunks(createChatTransport(server.client, { title: 'Greeting' }));
  const chat = new UiChat({ transport: seen.transport });
  await chat.sendMessage({ text: 'Hi' });
  expect(chat.status).toBe('ready');
  const [, answer] = chat.messages;
  expect(plainParts(answer)).toEqual([
    { type: 'step-start' },
    { type: 'text', text: 'Hello, world.', state: 'done' },
  ]);
  expect(answer?.id).toBe('answer-1');
  expect(seen.chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  const read = await server.client.chat({ id: answer?.metadata?.chatId ?? '' }).read();
  expect(read.title).toBe('Greeting');
});

it('shows the growing value and a refused attempt, then the typed receipt', async () => {
  play([submit({ file: 'a.ts', line: 'seven' }), submit({ file: 'a.ts', line: 7 })]);
  const seen = seeChunks(createChatTransport(server.client, { output: bug }));
  const chat = new UiChat({ transport: seen.transport });
  await chat.sendMessage({ text: 'Which?' });
  expect(chat.error).toBeUndefined();
  expect(seen.chunks.filter(({ type }) => type === 'data-partial').length).toBeGreaterThan(1);
  expect(seen.chunks.filter(({ type }) => type === 'reset-step')).toHaveLength(2);
  const parts = chat.messages.at(-1)?.parts ?? [];
  expect(parts.map(({ type }) => type)).toEqual([
    'step-start',
    'dynamic-tool',
    'data-refused',
    'step-start',
    'dynamic-tool',
    'data-receipt',
  ]);
  const refused = parts.find((part) => part.type === 'data-refused');
  const draft: { file?: string; line?: number } | undefined = refused?.data.draft;
  expect(refused?.data).toEqual({
    number: 1,
    code: 'invalid',
    issues: [{ path: '/line', rule: expect.stringMatching(/^Expected/u) as string, got: '"seven"' }],
    draft: { file: 'a.ts', line: 'seven' },
  });
  expect(draft).toHaveProperty('file', 'a.ts');
  expect(parts[1]).toMatchObject({
    errorText: expect.stringMatching(/^\/line expected/u) as string,
  });
  const receipt = parts.find((part) => part.type === 'data-receipt');
  const value: { file: string; line: number } | undefined = receipt?.data.value;
  expect(value).toEqual({ file: 'a.ts', line: 7 });
  expect(receipt?.data.attempts.map(({ code }) => code)).toEqual(['invalid', 'ok']);
});

const look = { inputSchema: z.object({ path: z.string() }) };

/** A chat whose page runs `look`, as `onToolCall` does. */
function pageWithTool(init: { readonly output: string }) {
  const transport = createChatTransport(server.client, { tools: { look } });
  const runs: unknown[] = [];
  const seen = seeChunks(transport);
  const chat = new UiChat({
    transport: seen.transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall }) {
      runs.push(toolCall.input);
      // The AI SDK runs this after the current chunk.
      void chat.addToolOutput({ tool: 'look', toolCallId: toolCall.toolCallId, output: init.output });
    },
  });
  return { chat, runs, seen };
}

it('runs a tool of the page, and continues the same message', async () => {
  play([reply.tool('look', { path: 'a.ts' }), reply.text('Seen.')]);
  const { chat, runs } = pageWithTool({ output: 'content' });
  await chat.sendMessage({ text: 'Look' });
  await expect.poll(() => chat.messages.at(-1)?.parts.at(-1), PATIENT).toMatchObject({ text: 'Seen.' });
  expect(runs).toEqual([{ path: 'a.ts' }]);
  expect(chat.messages).toHaveLength(2);
  expect(plainParts(chat.messages[1])).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-look', state: 'output-available', input: { path: 'a.ts' }, output: 'content' },
    { type: 'step-start' },
    { type: 'text', text: 'Seen.' },
  ]);
  expect(server.turns.scripted.turns.at(-1)?.lastToolResult?.text).toContain('content');
});

/** A model that replies when it is released. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { opened, open };
}

/** The page after a reload: the history of the server, and the running turn. */
async function reload(id: string): Promise<UiChat<TruecastUIMessage>> {
  const { messages } = await server.client.chat({ id: `~${id}` }).messages();
  const { transport } = seeChunks(createChatTransport(server.client));
  return new UiChat<TruecastUIMessage>({ id, messages: await toUIMessages(messages), transport });
}

it('lets a second page join a running turn, and a reloaded one', async () => {
  const gates = [gate(), gate()];
  play([
    reply.text('Earlier.'),
    async () => {
      await gates[0]?.opened;
      return reply.tool('list_files', {});
    },
    async () => {
      await gates[1]?.opened;
      return reply.text('There are two.', { chunkChars: 3 });
    },
  ]);
  const chat = new UiChat({ transport: createChatTransport(server.client) });
  await chat.sendMessage({ text: 'Hi' });
  const sending = chat.sendMessage({ text: 'How many files?' });
  await expect.poll(() => replies.length, PATIENT).toBe(1);
  const second = await reload(chat.id);
  const ids = [...chat.messages.slice(0, 3).map(({ id }) => id), 'answer-3'];
  expect(second.messages.map((message) => message.id)).toEqual(ids.slice(0, 3));
  const joining = second.resumeStream();
  gates[0]?.open();
  await expect
    .poll(() => second.messages.at(-1)?.parts.at(-1), PATIENT)
    .toMatchObject({ state: 'output-error' });
  // Its history has the first step, which the stream repeats.
  const third = await reload(chat.id);
  expect(third.messages.at(-1)?.id).toBe('answer-3');
  const rejoining = third.resumeStream();
  await expect.poll(() => third.status, PATIENT).toBe('streaming');
  gates[1]?.open();
  await Promise.all([sending, joining, rejoining]);
  const expected = plainParts(chat.messages.at(-1));
  expect(expected).toMatchObject([
    {},
    { type: 'dynamic-tool' },
    {},
    { type: 'text', text: 'There are two.' },
  ]);
  for (const page of [second, third, await reload(chat.id)]) {
    expect(page.messages.map((message) => message.id)).toEqual(ids);
    expect(plainParts(page.messages.at(-1))).toEqual(expected);
  }
  await third.resumeStream();
  expect(third.status).toBe('ready');
});

it('ends the turn on the server when the user stops', async () => {
  play([reply.text('word '.repeat(400), { chunkChars: 5, chunkDelayMs: 5 })]);
  const chat = new UiChat({ transport: createChatTransport(server.client) });
  const sending = chat.sendMessage({ text: 'Go' });
  await expect.poll(() => plainParts(chat.messages.at(-1)), PATIENT).toMatchObject([{}, { type: 'text' }]);
  await chat.stop();
  await sending;
  expect(chat.status).toBe('ready');
  const remote = server.client.chat({ id: `~${chat.id}` });
  await expect.poll(async () => (await remote.read()).status, PATIENT).toBe('waiting');
  const [, row] = (await remote.messages()).messages;
  expect(row).toMatchObject({ role: 'assistant', finish_reason: 'interrupted' });
});

it('leaves the turn running when the user stops only the stream', async () => {
  const hold = gate();
  play([
    async () => {
      await hold.opened;
      return reply.text('Done.');
    },
  ]);
  const chat = new UiChat({ transport: createChatTransport(server.client, { stopEndsTurn: false }) });
  const sending = chat.sendMessage({ text: 'Go' });
  await expect.poll(() => chat.messages, PATIENT).toHaveLength(2);
  await chat.stop();
  await sending;
  hold.open();
  const remote = server.client.chat({ id: `~${chat.id}` });
  await expect.poll(async () => (await remote.read()).status, PATIENT).toBe('waiting');
  expect((await remote.messages()).messages.at(-1)?.content).toEqual([{ type: 'text', text: 'Done.' }]);
});

it('regenerates an answer, and edits an earlier message', async () => {
  play(Array.from({ length: 5 }, (_, index) => reply.text(`Answer ${index + 1}.`)));
  const chat = new UiChat({ transport: createChatTransport(server.client) });
  await chat.sendMessage({ text: 'One' });
  await chat.sendMessage({ text: 'Two' });
  await chat.regenerate();
  expect(textsOf(chat)).toEqual(['One', 'Answer 1.', 'Two', 'Answer 3.']);
  await chat.sendMessage({ text: 'Uno', messageId: chat.messages[0]?.id ?? '' });
  expect(textsOf(chat)).toEqual(['Uno', 'Answer 4.']);
  const page = await reload(chat.id);
  expect(textsOf(page)).toEqual(['Uno', 'Answer 4.']);
  await page.regenerate();
  expect(textsOf(page)).toEqual(['Uno', 'Answer 5.']);
  expect(textsOf(await reload(chat.id))).toEqual(['Uno', 'Answer 5.']);
});

/** The texts of a chat's messages. */
function textsOf({ messages }: { readonly messages: readonly UIMessage[] }): string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
}

it('waits in the queue for its turn, and shows only that', async () => {
  const hold = gate();
  play([
    async () => {
      await hold.opened;
      return reply.text('First.');
    },
    reply.text('Second.'),
  ]);
  const first = new UiChat({ transport: createChatTransport(server.client) });
  const sending = first.sendMessage({ text: 'One' });
  await expect.poll(() => first.messages.at(-1)?.metadata?.chatId, PATIENT).toBeDefined();
  const second = await reload(first.id);
  const queued = second.sendMessage({ text: 'Two' });
  const chat = server.client.chat({ id: `~${first.id}` });
  await expect.poll(async () => (await chat.read()).queue_length, PATIENT).toBe(1);
  hold.open();
  await Promise.all([sending, queued]);
  expect(textsOf(first)).toEqual(['One', 'First.']);
  expect(textsOf(second)).toEqual(['One', 'Two', 'Second.']);
});

it('reports a failed turn, and a receipt without an answer', async () => {
  play([reply.error(401), ...Array.from({ length: 9 }, () => reply.text('No.'))]);
  const transport = createChatTransport(server.client, { output: bug, limits: { text_only: 2 } });
  const chat = new UiChat({ transport });
  await chat.sendMessage({ text: 'Which?' });
  expect(chat.status).toBe('error');
  expect(chat.error?.message).toMatch(/model/u);
  await chat.regenerate();
  const receipt = chat.messages.at(-1)?.parts.find((part) => part.type === 'data-receipt');
  expect(receipt?.data).toMatchObject({ status: 'failed', error: { reason: 'text_only' } });
  expect(chat.status).toBe('ready');
});

it('unwraps an array, and refuses a value that the page’s own schema does not accept', async () => {
  play([submit({ value: [7] }), submit({ value: ['a'] }), submit({ n: 3 })]);
  const output = Output.array({ element: z.string() });
  const list = new UiChat({ transport: createChatTransport(server.client, { output }) });
  await list.sendMessage({ text: 'Which?' });
  const answer = list.messages.at(-1);
  const receipt = answer?.parts.find((part) => part.type === 'data-receipt');
  expect(receipt?.data.value).toEqual(['a']);
  const refused = answer?.parts.find((part) => part.type === 'data-refused');
  expect(refused?.data).toMatchObject({ issues: [{ path: '/0', got: '7' }], draft: [7] });
  // After a reload, the history has the same parts.
  const { messages } = await server.client.chat({ id: `~${list.id}` }).messages();
  const receipts = receipt === undefined ? [] : [{ ...receipt.data, value: { value: ['a'] } }];
  const history = await toUIMessages(messages, { receipts, output });
  expect(plainParts(history.at(-1))).toEqual(plainParts(answer));
  const schema = z.object({ n: z.number().refine((n) => n % 2 === 0, 'Must be even') });
  const even = new UiChat({
    transport: createChatTransport(server.client, { output: Output.object({ schema }) }),
  });
  await even.sendMessage({ text: 'Even?' });
  expect(even.error?.message).toContain('Must be even');
});

it('streams through a route handler, which has the token', async () => {
  play([reply.tool('look', { path: 'a.ts' }), reply.text('Seen.'), reply.text('Again.')]);
  const remote = server.client.chat({ tools: { look: { ...look, execute: () => undefined } } });
  // The page of a route handler: `fetch` calls the handler.
  const handle: typeof fetch = async (_url, init) => {
    const { messages, trigger } = bodySchema.parse(JSON.parse(z.string().parse(init?.body)));
    const message = messages.at(-1);
    const stream = await uiMessageStream(remote, message!, { replaces: trigger === 'regenerate-message' });
    return createUIMessageStreamResponse({ stream });
  };
  const chat = new UiChat({
    transport: new DefaultChatTransport<TruecastUIMessage>({ fetch: handle }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall }) => {
      void chat.addToolOutput({ tool: 'look', toolCallId: toolCall.toolCallId, output: 'content' });
    },
  });
  await chat.sendMessage({ text: 'Look' });
  await expect.poll(() => textsOf(chat), PATIENT).toEqual(['Look', 'Seen.']);
  await chat.regenerate();
  expect(textsOf(chat)).toEqual(['Look', 'Again.']);
  expect(await resumeUIMessageStream(remote)).toBeNull();
});

const bodySchema = z.object({
  messages: z.array(z.custom<UIMessage>((value) => typeof value === 'object')),
  trigger: z.string(),
});

it('runs the tool in two pages, and both see the answer', async () => {
  play([reply.tool('look', { path: 'a.ts' }), reply.text('Seen.')]);
  const outputs = [gate(), gate()];
  const pageOf = (index: number, id?: string): UiChat<LookMessage> => {
    const page = new UiChat<LookMessage>({
      ...(id !== undefined && { id }),
      transport: createChatTransport(server.client, { tools: { look } }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall({ toolCall: { toolCallId } }) {
        const output = `page ${index}`;
        void outputs[index]?.opened.then(() => page.addToolOutput({ tool: 'look', toolCallId, output }));
      },
    });
    return page;
  };
  const first = pageOf(0);
  await first.sendMessage({ text: 'Look' });
  const second = pageOf(1, first.id);
  await second.resumeStream();
  outputs[0]?.open();
  await expect.poll(() => textsOf(first), PATIENT).toEqual(['Look', 'Seen.']);
  // The turn has ended. The second page has seen nothing of its end.
  outputs[1]?.open();
  await expect.poll(() => textsOf(second), PATIENT).toEqual(['Seen.']);
  expect(second.messages.at(-1)?.parts[1]).toMatchObject({ type: 'tool-look', output: 'page 0' });
  expect(second.status).toBe('ready');
});

type LookMessage = TruecastUIMessage<unknown, InferPageTools<{ look: typeof look }>>;

it('sends a message that never arrived, and opens a chat by the id of the server or of the page', async () => {
  play([reply.text('One.'), reply.text('Two.'), reply.text('Three.')]);
  let isCut = true;
  const cut: typeof fetch = (...request) =>
    isCut ? Promise.reject(new TypeError('fetch failed')) : fetch(...request);
  const client = createClient({ baseURL: server.url, token: server.token, fetch: cut, maxRetries: 0 });
  const chat = new UiChat({ transport: createChatTransport(client) });
  await chat.sendMessage({ text: 'Hi' });
  expect(chat.status).toBe('error');
  isCut = false;
  await chat.regenerate();
  expect(textsOf(chat)).toEqual(['Hi', 'One.']);
  // A page that has the id and no history.
  const empty = new UiChat({ id: chat.id, transport: createChatTransport(client) });
  await empty.sendMessage({ text: 'And?' });
  expect(textsOf(empty)).toEqual(['And?', 'Two.']);
  const id = empty.messages.at(-1)?.metadata?.chatId ?? '';
  const known = new UiChat({ id, messages: empty.messages, transport: createChatTransport(client) });
  await known.regenerate();
  expect(textsOf(known)).toEqual(['And?', 'Three.']);
  expect((await client.chat({ id }).messages()).messages).toHaveLength(4);
});
