import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatModel } from '../../packages/server/src/models/chat-model.ts';
import type { ToolResultPart } from '../../packages/client/src/wire/message-parts.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { COUNT, newRequestId } from './answers.ts';
import { message, OWNER, testServer, type TestServer } from './test-server.ts';
import { WEB_SEARCHING, webSearching } from './web-searching.ts';

const ANTHROPIC = 'anthropic:claude-sonnet-4-5';
const OPENAI = 'openai:gpt-5';
const pages = [{ url: 'https://cats.test/', title: 'Cats' }];
const search = reply.webSearch({ query: 'cats', pages });
// Gemini's wire has no text for arguments.
const answer = reply.tool(FINALIZER_NAME, { output: { n: 1 } });

/** The part of a prompt that describes a finished search. */
const SEARCHES = /srvtoolu_|"type":"web_search_call"/u;

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

const look: ServerTool = {
  definition: { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } },
  run: () => Promise.resolve(toolSuccess('a cat')),
};

async function say(server: TestServer, chatId: string, text: string): Promise<void> {
  await server.machine.sendMessage({ owner: OWNER, chatId, message: message(text), busyBehavior: 'queue' });
  await server.until(chatId, 'waiting', 'error');
}

async function executions(server: TestServer, chatId: string): Promise<readonly string[]> {
  return (await server.machine.loadTurn(chatId)).executions.map(({ toolName }) => toolName);
}

/** Waits until the answer contains an event of this kind. */
function hinted(server: TestServer, chatId: string, type: string): Promise<void> {
  return new Promise((resolve) => {
    server.live.subscribe(chatId, ({ hints }) => {
      if (hints.some((hint) => hint.type === type)) resolve();
    });
  });
}

const bodyOf = (server: TestServer, index: number): string => server.scripted.requests[index]?.body ?? '';
const isOffered = (server: TestServer, index: number): boolean =>
  /"web_search(?:_\d+)?"|googleSearch/u.test(/"tools":.*/u.exec(bodyOf(server, index))?.[0] ?? '');

describe.each(WEB_SEARCHING)('a search of the web by %s', (id) => {
  it('is stored with its results, and the server runs nothing of it', async () => {
    const script = [reply.steps([search, reply.text('Here.')])];
    await using server = await testServer({ store, script, chatModel: webSearching(id), tools: [look] });
    const chatId = await server.ask(message('Cats?'));
    const [, said, ...rest] = await server.messages(chatId);
    expect(rest).toEqual([]);
    const parts = said?.parts.filter(({ type }) => type !== 'source') ?? [];
    expect(parts).toMatchObject([
      { type: 'tool_call', provider_executed: true },
      { type: 'tool_result', is_error: false, provider_executed: true },
      { type: 'text', text: 'Here.' },
    ]);
    expect(JSON.stringify(parts[1])).toContain('cats.test');
    expect(await executions(server, chatId)).toEqual([]);
    expect(isOffered(server, 0)).toBe(true);
  });

  it('is offered if there is no other tool', async () => {
    await using server = await testServer({
      store,
      script: [reply.text('Hi.')],
      chatModel: webSearching(id),
    });
    await server.ask(message('Hi'));
    expect(isOffered(server, 0)).toBe(true);
  });

  it('can precede an answer, which the model is then asked for', async () => {
    const script = [reply.steps([search, reply.text('I found it.')]), answer];
    await using server = await testServer({ store, script, chatModel: webSearching(id) });
    const requestId = newRequestId();
    await server.ask(message('Count', { requestId, schema: COUNT }));
    const { receipt } = await server.receipt(requestId);
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 1 } });
    expect(receipt.attempts.map(({ code }) => code)).toEqual(['text_only', 'ok']);
    expect(server.scripted.turns[1]?.messages.at(-1)?.role).toBe('user');
  });

  it('next to the answer rejects the answer, which is submitted again alone', async () => {
    const script = [reply.steps([search, answer]), answer];
    await using server = await testServer({ store, script, chatModel: webSearching(id) });
    const requestId = newRequestId();
    const chatId = await server.ask(message('Count', { requestId, schema: COUNT }));
    const { receipt } = await server.receipt(requestId);
    expect(receipt.attempts.map(({ code }) => code)).toEqual(['not_alone', 'ok']);
    expect(server.scripted.turns[1]?.toolResults).toHaveLength(1);
    const results = (await server.messages(chatId)).flatMap(({ parts }) =>
      parts.filter((part): part is ToolResultPart => part.type === 'tool_result'),
    );
    expect(results.filter(({ provider_executed }) => provider_executed === true)).toHaveLength(1);
  });

  it('is not offered in plan mode', async () => {
    await using server = await testServer({
      store,
      script: [reply.text('A plan.')],
      chatModel: webSearching(id),
    });
    await server.ask(message('Plan'), { planMode: true });
    expect(isOffered(server, 0)).toBe(false);
  });

  it('is replaced by a tool with the same name, with a warning', async () => {
    const own: ServerTool = { ...look, definition: { ...look.definition, name: 'web_search' } };
    const script = [reply.tool('web_search', {}), reply.text('Here.')];
    await using server = await testServer({ store, script, chatModel: webSearching(id), tools: [own] });
    await server.ask(message('Cats?'));
    expect(server.scripted.turns[0]?.tools).toMatchObject([{ name: 'web_search', kind: 'function' }]);
    expect(server.scripted.turns[1]?.lastToolResult?.text).toContain('a cat');
    expect(server.events.map((event) => event.message).join()).toContain(
      "`web_search` of the model's provider",
    );
  });

  it('counts as another tool, so that the native schema mode is not used with it', async () => {
    const capabilities = { takesRequiredChoice: false };
    const script = [answer];
    await using server = await testServer({ store, script, chatModel: webSearching(id), capabilities });
    const requestId = newRequestId();
    await server.ask(message('Count', { requestId, schema: COUNT }));
    expect((await server.receipt(requestId)).receipt).toMatchObject({
      status: 'succeeded',
      mode: 'tool_auto',
    });
    expect(isOffered(server, 0)).toBe(true);
  });
});

it.each([
  [ANTHROPIC, true],
  // Its package cannot represent a failed search, and omits it.
  [OPENAI, false],
])('a search by %s that fails is stored as an error, and the chat continues', async (id, isSentBack) => {
  const failed = reply.webSearch({ query: 'cats', errorCode: 'max_uses_exceeded' });
  const script = [reply.steps([failed, reply.text('Nothing.')]), reply.text('No.')];
  await using server = await testServer({ store, script, chatModel: webSearching(id) });
  const chatId = await server.ask(message('Cats?'));
  const [, said] = await server.messages(chatId);
  expect(said?.parts[1]).toMatchObject({ type: 'tool_result', is_error: true, provider_executed: true });
  await say(server, chatId, 'Sure?');
  expect((await server.messages(chatId)).at(-1)?.parts).toMatchObject([{ type: 'text', text: 'No.' }]);
  expect(bodyOf(server, 1).includes('"error_code":"max_uses_exceeded"')).toBe(isSentBack);
});

const paused = reply.webSearch({ query: 'cats', result: 'none' });

it.each([
  // The text after it shows that the whole call has arrived.
  [ANTHROPIC, 7, reply.steps([paused, reply.text('So')]), 'text-delta'],
  [OPENAI, 4, search, 'tool-input-start'],
])('a search by %s that is interrupted stays unchanged', async (id, afterChunks, half, seen) => {
  const cut = reply.cut({ afterChunks, isSilent: true }, half);
  await using server = await testServer({
    store,
    script: [cut, reply.text('Fine.')],
    chatModel: webSearching(id),
    chunkChars: 999,
  });
  const { chat } = await server.machine.createChat({ owner: OWNER, model: id, message: message('Cats?') });
  const chatId = chat.id;
  await hinted(server, chatId, seen);
  await server.machine.interrupt({ owner: OWNER, chatId });
  await server.until(chatId, 'waiting');
  const [, said, ...rest] = await server.messages(chatId);
  expect(said?.parts[0]).toMatchObject({ type: 'tool_call', provider_executed: true });
  expect(said?.parts.some(({ type }) => type === 'tool_result')).toBe(false);
  expect(rest).toEqual([]);
  expect(await executions(server, chatId)).toEqual([]);
  await say(server, chatId, 'Go on');
  expect(bodyOf(server, 1)).not.toMatch(SEARCHES);
  expect((await server.messages(chatId)).at(-1)?.parts).toMatchObject([{ type: 'text', text: 'Fine.' }]);
});

it.each([
  ['', false, true],
  [' in a request', true, true],
  [' in a request whose model is only asked for its answer', true, false],
])('a paused search is resumed%s', async (_where, hasFormat, takesRequiredChoice) => {
  const requestId = newRequestId();
  await using server = await testServer({
    store,
    script: ({ turnIndex, body }) => {
      if (turnIndex === 0) return reply.webSearch({ query: 'cats', result: 'none' });
      if (turnIndex === 2) return answer;
      const of = /srvtoolu_\w+/u.exec(JSON.stringify(body))?.[0] ?? '';
      return reply.steps([reply.webSearch({ query: '', pages, result: { of } }), reply.text('Here.')]);
    },
    chatModel: webSearching(ANTHROPIC),
    capabilities: { takesRequiredChoice },
  });
  const chatId = await server.ask(message('Cats?', hasFormat ? { requestId, schema: COUNT } : undefined));
  expect(server.scripted.turns[1]?.messages.at(-1)?.role).toBe('assistant');
  expect(server.scripted.requests).toHaveLength(hasFormat ? 3 : 2);
  const steps = (await server.messages(chatId)).filter(({ step }) => step !== undefined);
  expect(steps[1]?.parts).toMatchObject([{ type: 'tool_result' }, { type: 'source' }, { type: 'text' }]);
  if (hasFormat) expect((await server.receipt(requestId)).receipt.status).toBe('succeeded');
});

it('search results of a provider are not shown if another tool replaced its tool', async () => {
  const tools: ServerTool[] = [];
  const script = [reply.steps([search, reply.text('Here.')]), reply.text('Sure.')];
  await using server = await testServer({ store, script, chatModel: webSearching(ANTHROPIC), tools });
  const chatId = await server.ask(message('Cats?'));
  tools.push({ ...look, definition: { ...look.definition, name: 'web_search' } });
  await say(server, chatId, 'Sure?');
  expect(bodyOf(server, 1)).toContain('Here.');
  expect(bodyOf(server, 1)).not.toMatch(SEARCHES);
});

it('search results of one provider are not shown to another', async () => {
  const models: ChatModel[] = [];
  const script = [reply.steps([search, reply.text('Here.')]), reply.text('Sure.'), reply.text('Yes.')];
  await using server = await testServer({
    store,
    script,
    chatModel: async (scripted) => {
      for (const id of [ANTHROPIC, OPENAI, ANTHROPIC]) models.push(await webSearching(id)(scripted));
      return webSearching(ANTHROPIC)(scripted);
    },
    find: async (use) => models.shift() ?? use(),
  });
  const chatId = await server.ask(message('Cats?'));
  await say(server, chatId, 'Sure?');
  expect(bodyOf(server, 1)).toContain('Here.');
  expect(bodyOf(server, 1)).not.toMatch(SEARCHES);
  await say(server, chatId, 'Really?');
  expect(bodyOf(server, 2)).toContain('web_search_tool_result');
});

it.each([
  [true, 'with another tool'],
  [false, 'alone'],
])(
  'a model that accepts no other tool with a search gets the search in its messages: %s (%s)',
  async (hasTool) => {
    await using server = await testServer({
      store,
      script: [reply.steps([search, reply.text('Here.')])],
      chatModel: webSearching('google:gemini-2.5-flash'),
      tools: hasTool ? [look] : [],
    });
    const chatId = await server.ask(message('Cats?'));
    const [, said] = await server.messages(chatId);
    expect(said?.parts).toMatchObject([
      { type: 'source', url: 'https://cats.test/', title: 'Cats' },
      { type: 'text', text: 'Here.' },
    ]);
    expect(isOffered(server, 0)).toBe(!hasTool);
    expect(bodyOf(server, 0).includes('"look"')).toBe(hasTool);
    const warnings = server.events.map((event) => event.message).join();
    expect(warnings.includes('neither with other tools')).toBe(hasTool);
  },
);

it('texts instead of the answer are counted even if each follows a search', async () => {
  await using server = await testServer({
    store,
    script: () => reply.steps([search, reply.text('I found it.')]),
    chatModel: webSearching(ANTHROPIC),
  });
  const requestId = newRequestId();
  await server.ask(message('Count', { requestId, schema: COUNT }));
  const { receipt } = await server.receipt(requestId);
  expect(receipt).toMatchObject({ status: 'failed', error: { reason: 'text_only' } });
  expect(server.scripted.requests).toHaveLength(5);
});

it.each([
  [OPENAI, "Hosted tool 'web_search_preview' is not supported with gpt-5."],
  [ANTHROPIC, 'Web search tool is not supported: it is not enabled for this organization.'],
])('if %s rejects the tool, the turn fails with its reason', async (id, reason) => {
  await using server = await testServer({
    store,
    script: () => reply.error(400, { message: reason }),
    chatModel: webSearching(id),
  });
  const requestId = newRequestId();
  const chatId = await server.ask(message('Count', { requestId, schema: COUNT }));
  const { receipt } = await server.receipt(requestId);
  expect(receipt).toMatchObject({ status: 'failed', error: { code: 'generation_failed' } });
  const { error } = await server.machine.readChat({ owner: OWNER, chatId });
  expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(reason) });
  expect(error?.message).toContain('`providerTools`');
  expect(server.scripted.requests).toHaveLength(1);
});

it('a summary is generated without the search tool, from pages without provider-specific data', async () => {
  const script = [reply.steps([search, reply.text('Here.')]), reply.text('They spoke of cats.')];
  await using server = await testServer({ store, script, chatModel: webSearching(ANTHROPIC) });
  const chatId = await server.ask(message('Cats?'));
  await server.machine.requestCompaction({ owner: OWNER, chatId });
  await server.until(chatId, 'waiting');
  expect(isOffered(server, 1)).toBe(false);
  expect(bodyOf(server, 1)).toContain('cats.test');
  expect(bodyOf(server, 1)).not.toContain(Buffer.from('https://cats.test/').toString('base64'));
});
