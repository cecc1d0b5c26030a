import { expect, it } from 'vitest';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { mcpServers } from '../../packages/server/src/tools/mcp-servers.ts';
import { testMcpHttpServer } from '../../packages/server/src/tools/test-mcp-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { matrixColumns, matrixRow } from '../matrix.ts';
import { ASK_USER, COUNT, newRequestId, submit } from './answers.ts';
import { message, OWNER, testServer, type TestServer } from './test-server.ts';

const ONE = '{"output":{"n":1}}';

describeOnBothStores('A turn with a request that does not go straight', (open, row) => {
  const itInTurns = matrixRow(row, { rows: 2 });
  itInTurns('a tool of the client, a restart, its results, the answer', async () => {
    const store = open();
    const requestId = newRequestId();
    const asked = message('Count', { requestId, schema: COUNT });
    const dynamicTools = [ASK_USER];
    const before = await testServer({ store, script: [reply.tool('ask_user', { what: 'how many' })] });
    const chatId = await before.ask(asked, { dynamicTools });
    const { executions } = await before.machine.loadTurn(chatId);
    await before[Symbol.asyncDispose]();
    expect((await before.receipt(requestId)).receipt.status).toBe('running');

    await using after = await testServer({ store, script: [submit(ONE)] });
    const results = executions.map(({ toolCallId }) => ({ toolCallId, output: 'one' }));
    await after.machine.submitToolResults({ owner: OWNER, chatId, results });
    await after.until(chatId, 'waiting');
    expect(after.scripted.turns[0]?.lastToolResult?.text).toContain('one');
    expect((await after.receipt(requestId)).receipt).toMatchObject({ status: 'succeeded', value: { n: 1 } });
  });

  itInTurns('the deadline of results passes, the model is notified, the answer', async () => {
    await using server = await testServer({
      store: open(),
      machine: { actionDeadlineMs: 1 },
      script: [reply.tool('ask_user', {}), submit(ONE)],
    });
    const requestId = newRequestId();
    const asked = message('Count', { requestId, schema: COUNT });
    const chatId = await server.ask(asked, { dynamicTools: [ASK_USER] });
    await server.until(chatId, 'waiting');
    expect(server.scripted.turns[1]?.lastToolResult).toMatchObject({
      text: expect.stringContaining('in time'),
    });
    expect((await server.receipt(requestId)).receipt.status).toBe('succeeded');
  });

  itInTurns('an interruption during the arguments of the answer discards it', async () => {
    const half = reply.cut(
      { afterChunks: 8, isSilent: true },
      submit(`{"output":{"n":1,"s":"${'x'.repeat(999)}"}}`),
    );
    await using server = await testServer({ store: open(), script: [half] });
    const requestId = newRequestId();
    const asked = message('Count', { requestId, schema: COUNT });
    const { chat } = await server.machine.createChat({
      owner: OWNER,
      model: 'test:scripted',
      message: asked,
    });
    await firstHint(server, chat.id);
    await server.machine.interrupt({ owner: OWNER, chatId: chat.id });
    await server.until(chat.id, 'waiting');
    const { receipt } = await server.receipt(requestId);
    expect(receipt).toMatchObject({ status: 'canceled', error: { code: 'interrupted' } });
    expect(receipt.value).toBeUndefined();
    expect(JSON.stringify(await server.messages(chat.id))).not.toContain('xxx');
    expect(server.scripted.requests).toHaveLength(1);
  });

  itInTurns('an interruption during a text keeps the partial text', async () => {
    const half = reply.cut({ afterChunks: 8, isSilent: true }, reply.text('word '.repeat(99)));
    await using server = await testServer({ store: open(), script: [half] });
    const asked = message('Talk');
    const { chat } = await server.machine.createChat({
      owner: OWNER,
      model: 'test:scripted',
      message: asked,
    });
    await firstHint(server, chat.id);
    await server.machine.interrupt({ owner: OWNER, chatId: chat.id });
    await server.until(chat.id, 'waiting');
    const said = JSON.stringify((await server.messages(chat.id)).at(-1)?.parts);
    expect(said).toContain('word word');
    expect(said.length).toBeLessThan(200);
  });

  itInTurns('an interrupted turn ends even if its model is no longer available', async () => {
    const store = open();
    const gone = { find: () => Promise.reject(new UsageError('There is no such model.')) };
    const machine = createChatMachine({ store });
    const { chat } = await machine.createChat({ owner: OWNER, model: 'gone', message: message('Hi') });
    await machine.interrupt({ owner: OWNER, chatId: chat.id });
    await using after = await testServer({ store, script: [], ports: { models: gone } });
    await after.until(chat.id, 'waiting');
  });

  itInTurns(
    'a queued message that is deleted before it runs, and while the chat waits for results, ends as deleted',
    async () => {
      await using server = await testServer({ store: open(), script: [reply.tool('ask_user', {})] });
      const chatId = await server.ask(message('Ask'), { dynamicTools: [ASK_USER] });
      const requestId = newRequestId();
      const queued = message('Count', { requestId, schema: COUNT });
      const where = { owner: OWNER, chatId };
      const sent = await server.machine.sendMessage({ ...where, message: queued, busyBehavior: 'queue' });
      await server.machine.deleteQueued({ ...where, queuedId: sent.queuedId ?? 0 });
      const { receipt } = await server.receipt(requestId);
      expect(receipt).toMatchObject({ status: 'canceled', error: { code: 'queue_deleted' } });
      expect((await server.machine.readChat(where)).status).toBe('requires_action');
    },
  );

  itInTurns('a queued message that is promoted keeps its request', async () => {
    await using server = await testServer({
      store: open(),
      script: [reply.delay(30_000, reply.text('Slow.')), submit(ONE)],
    });
    const { chat } = await server.machine.createChat({
      owner: OWNER,
      model: 'test:scripted',
      message: message('Talk'),
    });
    await called(server);
    const where = { owner: OWNER, chatId: chat.id };
    const requestId = newRequestId();
    const queued = message('Count', { requestId, schema: COUNT });
    const other = { ...where, message: message('Later'), busyBehavior: 'queue' } as const;
    await server.machine.sendMessage(other);
    const sent = await server.machine.sendMessage({ ...where, message: queued, busyBehavior: 'queue' });
    await server.machine.promoteQueued({ ...where, queuedId: sent.queuedId ?? 0 });
    const ended = await server.machine.waitForRequest({ owner: OWNER, requestId, waitMs: 10_000 });
    expect(ended.receipt).toMatchObject({ request_id: requestId, status: 'succeeded', value: { n: 1 } });
    await server.machine.deleteChat(where);
  });

  it.each(
    matrixColumns(
      row,
      [
        ['by the context that fills up', undefined, 900, ''],
        ['by the code of the service', reply.error(400, { code: 'context_length_exceeded' }), 10, ''],
        [
          'by the size of a prompt that a service without codes refuses',
          reply.error(400),
          10,
          'x'.repeat(2_000),
        ],
      ] as const,
      { rows: 2 },
    ),
  )('a compaction between the request and its answer, %s', async (_name, refusal, inputTokens, padding) => {
    let calls = 0;
    const script = (turn: ScriptedTurn): ScriptedReply => {
      if (turn.userText.includes('<conversation>')) return reply.text('The user wants a count.', SMALL);
      calls += 1;
      if (calls === 1) return reply.text('Well.', { usage: { inputTokens, outputTokens: 1 } });
      if (calls === 2 && refusal !== undefined) return refusal;
      return reply.toolText('submit_structured_output', ONE, SMALL);
    };
    await using server = await testServer({ store: open(), script, contextTokens: 1_000 });
    const requestId = newRequestId();
    const chatId = await server.ask(message(`Count it ${padding}`, { requestId, schema: COUNT }));
    const { receipt } = await server.receipt(requestId);
    expect(receipt.attempts.map(({ code }) => code)).toEqual(['text_only', 'ok']);
    const last = server.scripted.turns.at(-1)?.messages ?? [];
    const said = JSON.stringify(last);
    expect(said).toContain('The user wants a count.');
    // The prompt contains the summary, the unanswered message, and the last reminder to the model.
    expect(said).toContain('Count it');
    expect(last.filter(({ role }) => role === 'user')).toHaveLength(3);
    const rows = await server.messages(chatId);
    expect(rows.filter(({ parts }) => parts.some(({ type }) => type === 'summary'))).toHaveLength(1);
  });

  itInTurns('a requested compaction runs between two turns, and the next request is answered', async () => {
    const script = (turn: ScriptedTurn): ScriptedReply =>
      turn.userText.includes('<conversation>')
        ? reply.text('A greeting.', SMALL)
        : turn.userText === 'Hello'
          ? reply.text('Hi.', SMALL)
          : submit(ONE);
    await using server = await testServer({ store: open(), script });
    const chatId = await server.ask(message('Hello'));
    const where = { owner: OWNER, chatId };
    await server.machine.requestCompaction(where);
    await server.until(chatId, 'waiting');
    const requestId = newRequestId();
    const asked = message('Count', { requestId, schema: COUNT });
    await server.machine.sendMessage({ ...where, message: asked, busyBehavior: 'queue' });
    await server.until(chatId, 'waiting');
    expect((await server.receipt(requestId)).receipt.status).toBe('succeeded');
    const prompt = JSON.stringify(server.scripted.turns.at(-1)?.messages);
    expect(prompt).toContain('A greeting.');
    expect(prompt).not.toContain('Hello');
  });

  it.each(
    matrixColumns(
      row,
      [
        ['takes a schema of its own', true, 'native'],
        ['takes none', false, 'tool_auto'],
      ] as const,
      { rows: 2 },
    ),
  )(
    'a service that refuses a forced choice and %s gets another request',
    async (_name, takesNativeSchema, mode) => {
      const script = (turn: ScriptedTurn): ScriptedReply => {
        if (field(turn, 'tool_choice') === 'required') {
          return reply.error(400, { message: 'tool_choice "required" is not supported' });
        }
        return turn.jsonSchema === undefined ? submit(ONE) : reply.json({ n: 1 });
      };
      await using server = await testServer({ store: open(), script, capabilities: { takesNativeSchema } });
      const requestId = newRequestId();
      await server.ask(message('Count', { requestId, schema: COUNT }));
      const { receipt } = await server.receipt(requestId);
      expect(receipt).toMatchObject({ status: 'succeeded', mode, value: { n: 1 } });
      expect(server.scripted.requests).toHaveLength(2);
    },
  );

  itInTurns('a thinking model is called without a forced choice, except on the last try', async () => {
    const script = (turn: ScriptedTurn): ScriptedReply =>
      field(turn, 'tool_choice') === 'required' ? submit(ONE) : reply.text('Hm.');
    await using server = await testServer({
      store: open(),
      script,
      capabilities: {
        isThinking: true,
        takesRequiredChoiceThinking: false,
        canStopThinking: true,
        takesNativeSchema: false,
      },
    });
    const requestId = newRequestId();
    await server.ask(message('Count', { requestId, schema: COUNT }));
    const { receipt } = await server.receipt(requestId);
    expect(receipt.status).toBe('succeeded');
    const modes = receipt.attempts.map((attempt) => attempt.mode);
    expect(modes).toEqual(['tool_auto', 'tool_auto', 'tool_auto', 'tool_auto', 'tool']);
  });

  itInTurns(
    "an MCP server's tool of the answer's name is dropped, with a warning that names the server",
    async () => {
      await using mcp = await testMcpHttpServer();
      const servers = mcpServers([{ name: 'impostor', url: mcp.url }]);
      await using server = await testServer({
        store: open(),
        script: [reply.tool('shout', { text: 'hey' }), submit(ONE)],
        ports: { tools: { list: () => servers.tools() } },
      });
      const requestId = newRequestId();
      await server.ask(message('Count', { requestId, schema: COUNT }));
      await servers.close();
      expect((await server.receipt(requestId)).receipt).toMatchObject({ value: { n: 1 } });
      expect(server.scripted.turns[1]?.lastToolResult?.text).toContain('HEY');
      const offered = server.scripted.turns[0]?.tools.filter(
        ({ name }) => name === 'submit_structured_output',
      );
      expect(offered).toHaveLength(1);
      expect(offered?.[0]?.description).not.toBe('Not ours.');
      expect(server.events.map((event) => event.message).join()).toContain('impostor');
    },
  );

  itInTurns(
    'a stored schema that no longer compiles is a configuration error, and no model is called',
    async () => {
      await using server = await testServer({ store: open(), script: [] });
      const requestId = newRequestId();
      const asked = message('Count', { requestId, schema: COUNT });
      const format = asked.request?.format;
      if (format === undefined) throw new TypeError('the message has a format');
      const broken = { ...format, schema_text: '{"type":"object","properties":{"a":{"type":"nothing"}}}' };
      const chatId = await server.ask({ ...asked, request: { format: broken, schemaHash: 'hash' } });
      const { receipt } = await server.receipt(requestId);
      expect(receipt).toMatchObject({ status: 'failed', error: { code: 'configuration_error' } });
      expect(server.scripted.requests).toHaveLength(0);
      expect((await server.machine.readChat({ owner: OWNER, chatId })).status).toBe('waiting');
    },
  );

  itInTurns('two workers that race for one turn write one receipt', async () => {
    const store = open();
    const script = (): ScriptedReply => reply.delay(300, submit(ONE));
    await using slow = await testServer({ store, script });
    // For this worker, the other's lease has always expired.
    await using greedy = await testServer({ store, script, machine: { leaseMs: -1 } });
    const requestId = newRequestId();
    const chatId = await slow.ask(message('Count', { requestId, schema: COUNT }));
    expect((await greedy.receipt(requestId)).receipt.status).toBe('succeeded');
    const rows = await slow.messages(chatId);
    const outcomes = rows.flatMap(({ parts }) => parts).filter(({ type }) => type === 'outcome');
    expect(outcomes).toHaveLength(1);
    expect(rows.filter(({ role, visibility }) => role === 'assistant' && visibility === 'all')).toHaveLength(
      1,
    );
  });

  itInTurns('a reader of the change feed sees the receipt once', async () => {
    await using server = await testServer({ store: open(), script: [reply.text('Hm.'), submit(ONE)] });
    const requestId = newRequestId();
    const chatId = await server.ask(message('Count', { requestId, schema: COUNT }));
    const where = { owner: OWNER, chatId };
    const all = await server.machine.changesSince({ ...where, version: 0 });
    expect(all?.requests.map(({ status }) => status)).toEqual(['succeeded']);
    const version = all?.chat.version ?? 0;
    expect(await server.machine.changesSince({ ...where, version })).toBeUndefined();
    const lastOnly = await server.machine.changesSince({ ...where, version: version - 1 });
    expect(lastOnly?.requests).toHaveLength(1);
    const parts = lastOnly?.messages.flatMap((row) => row.parts);
    // The last step is committed with the ending.
    expect(parts?.map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'outcome']);
  });
});

const SMALL = { usage: { inputTokens: 10, outputTokens: 5 } };

function field({ body }: ScriptedTurn, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

/** Waits until the model has started to write. */
function firstHint(server: TestServer, chatId: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = server.live.subscribe(chatId, () => {
      stop();
      resolve();
    });
  });
}

/** Waits until the model was called. */
async function called(server: TestServer): Promise<void> {
  while (server.scripted.requests.length === 0) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
