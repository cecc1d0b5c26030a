/** Tests each sentence of the server's original specification. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseResponseFormat } from '../../packages/server/src/format/parse-response-format.ts';
import { planModeProblem } from '../../packages/server/src/format/plan-mode.ts';
import { reservedNameProblem } from '../../packages/server/src/finalizer/protect-name.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { ASK_USER, COUNT, newRequestId, submit } from './answers.ts';
import { message, OWNER, testServer } from './test-server.ts';

const NAME = 'submit_structured_output';
const ONE = '{"output":{"n":1}}';

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

describe('the format is checked before anything is stored', () => {
  const refused: readonly (readonly [string, object])[] = [
    [
      'a schema over 16 KiB',
      { json_schema: { name: 'a', schema: { type: 'object', title: 'x'.repeat(17_000) } } },
    ],
    ['one that does not compile', { json_schema: { name: 'a', schema: { type: 'object', required: 1 } } }],
    ['a root that is no object', { json_schema: { name: 'a', schema: { type: 'array' } } }],
    [
      'a reference out of the document',
      { json_schema: { name: 'a', schema: { type: 'object', $ref: 'https://a.example/s' } } },
    ],
    ['strict: false', { json_schema: { name: 'a', strict: false, schema: { type: 'object' } } }],
  ];
  it.each(refused)('refuses %s', (_name, rest) => {
    const parsed = parseResponseFormat(JSON.stringify({ type: 'json_schema', ...rest }), {
      field: 'response_format',
      wire: 'chat',
    });
    expect(parsed.type).toBe('refused');
  });
});

it('the format survives the queue, the wait for the client and a compaction', async () => {
  const script = (turn: ScriptedTurn): ScriptedReply => {
    if (turn.userText.includes('<conversation>')) return reply.text('Summary.', SMALL);
    if (turn.userText === 'Hello') return reply.text('Hi.', SMALL);
    const asked = JSON.stringify(turn.messages).includes('Summary.');
    if (turn.lastToolResult !== undefined || asked) return reply.toolText(NAME, ONE, SMALL);
    return reply.tool('ask_user', {}, { usage: { inputTokens: 900, outputTokens: 1 } });
  };
  await using server = await testServer({ store, script, contextTokens: 1_000 });
  const chatId = await server.ask(message('Hello'), { dynamicTools: [ASK_USER] });
  const where = { owner: OWNER, chatId };
  const requestId = newRequestId();
  const asked = message('Count', { requestId, schema: COUNT });
  await server.machine.sendMessage({ ...where, message: asked, busyBehavior: 'queue' });
  await server.until(chatId, 'requires_action');
  const { executions } = await server.machine.loadTurn(chatId);
  const results = executions.map(({ toolCallId }) => ({ toolCallId, output: 'one' }));
  await server.machine.submitToolResults({ ...where, results });
  const { receipt } = await server.machine.waitForRequest({ owner: OWNER, requestId, waitMs: 10_000 });
  expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 1 } });
  const rows = await server.messages(chatId);
  expect(rows.some(({ parts }) => parts.some(({ type }) => type === 'summary'))).toBe(true);
});

it('omitting the field changes nothing: no body contains it', async () => {
  await using server = await testServer({ store, script: [reply.text('Hi.')] });
  await server.ask(message('Hello'));
  const [request] = server.scripted.requests;
  expect(request?.body).not.toMatch(/submit_structured_output|tool_choice|response.format/u);
});

it('plan mode refuses it, for plan mode ends in its own way', () => {
  expect(planModeProblem({ hasFormat: true, chatPlanMode: true })).toBeDefined();
});

it('a dynamic tool of its name is refused', () => {
  expect(reservedNameProblem([{ name: NAME, input_schema: { type: 'object' } }])).toBeDefined();
});

it('every step asks for a call that must be made, and the prompt holds no format', async () => {
  const script = [reply.text('Hm.'), submit('{"output":{}}'), submit(ONE)];
  await using server = await testServer({ store, script });
  await server.ask(message('Count', { requestId: newRequestId(), schema: COUNT }));
  const bodies = server.scripted.requests.map(({ body }) => body);
  for (const body of bodies) expect(body).toContain('"tool_choice":"required"');
  expect(bodies.join()).not.toContain('response_format');
});

it('it is called alone, and its success ends the turn without another call', async () => {
  const script = [reply.steps([submit(ONE), reply.tool('nothing', {})]), submit(ONE)];
  await using server = await testServer({ store, script });
  const requestId = newRequestId();
  await server.ask(message('Count', { requestId, schema: COUNT }));
  expect((await server.receipt(requestId)).receipt.status).toBe('succeeded');
  expect(server.scripted.requests).toHaveLength(2);
});

it('an answer that does not fit is a tool error that the model can correct', async () => {
  await using server = await testServer({ store, script: [submit('{"output":{"n":"x"}}'), submit(ONE)] });
  await server.ask(message('Count', { requestId: newRequestId(), schema: COUNT }));
  expect(server.scripted.turns[1]?.lastToolResult?.text).toContain('/n');
});

it('the client reads the value from the tool result of that name, and it never comes back to the model', async () => {
  await using server = await testServer({ store, script: [submit(ONE), reply.text('Sure.')] });
  const requestId = newRequestId();
  const chatId = await server.ask(message('Count', { requestId, schema: COUNT }));
  const parts = (await server.messages(chatId)).flatMap((row) => row.parts);
  const results = parts.filter((part) => part.type === 'tool_result' && part.tool_name === NAME);
  expect(results).toMatchObject([{ is_error: false, result: { n: 1 }, result_text: '{"n":1}' }]);
  const next = { owner: OWNER, chatId, message: message('Sure?'), busyBehavior: 'queue' } as const;
  await server.machine.sendMessage(next);
  await server.until(chatId, 'waiting');
  const last = server.scripted.turns.at(-1)?.messages ?? [];
  expect(last.flatMap(({ parts: said }) => said).some(({ type }) => type === 'tool-result')).toBe(false);
  // The next turn sees it as the assistant's message.
  expect(JSON.stringify(last)).toContain(String.raw`{\"n\":1}`);
});

const SMALL = { usage: { inputTokens: 10, outputTokens: 5 } };
