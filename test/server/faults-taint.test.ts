/**
 * Text of a caller or a model appears only in messages and values. No error, failure receipt, log
 * line or metric repeats it.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { httpServer } from './http-server.ts';

const CALLER = 'MARKERCALLER';
const MODEL = 'MARKERMODEL';
/**
 * The model sees the schema's rules, and the receipt contains them. These rules contain no marker.
 */
const schema = {
  type: 'object',
  title: CALLER,
  properties: { n: { type: 'integer' }, s: { const: 'y' }, e: { enum: ['x', 'y'] } },
  required: ['n'],
  additionalProperties: false,
};
const response_format = { type: 'json_schema', json_schema: { name: 'answer', description: CALLER, schema } };
/** A property name is part of a path, which is reported. All of these names are known. */
const WRONG = [{ n: MODEL }, { n: 1, s: MODEL }, { n: 1, e: MODEL }, { n: [MODEL], s: { [MODEL]: MODEL } }];

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

it('never repeats input of a caller or a model in its own messages', async () => {
  await using server = await httpServer({
    store,
    script: ({ turnIndex }) =>
      reply.toolText(FINALIZER_NAME, JSON.stringify({ output: WRONG[turnIndex % WRONG.length] })),
  });
  const said: string[] = [];
  const { chatId, requestId } = await server.begin({
    content: CALLER,
    title: CALLER,
    system_prompt: CALLER,
    settings: { [CALLER]: CALLER },
    response_format,
  });
  const receipt = await server.receipt(chatId, requestId);
  expect(receipt).toMatchObject({ status: 'failed', error: { reason: 'validation_exhausted' } });
  said.push(JSON.stringify(receipt));
  for (const body of [
    { content: 'x', model: CALLER },
    { content: 'x', plan_mode: CALLER },
    { content: [{ type: CALLER }] },
    { content: 'x', response_format: { type: CALLER } },
    { content: 'x', response_format: { type: 'json_schema', json_schema: { name: `${CALLER} `, schema } } },
    { content: 'x', limits: { text_only: CALLER } },
    `{"content": "${CALLER}`,
    `{"content": ${CALLER}}`,
  ]) {
    const { status, text } = await server.ask('POST', '/api/chats', { body });
    expect(status).toBe(400);
    said.push(text);
  }
  for (const [method, path] of [
    ['GET', `/api/chats/${CALLER}`],
    ['GET', `/api/chats?status=${CALLER}`],
    ['GET', `/api/chats?after=${CALLER}`],
    ['GET', `/api/chats/${chatId}/requests/${CALLER}`],
    ['GET', `/api/${CALLER}`],
  ] as const) {
    const { status, text } = await server.ask(method, path, { headers: { 'idempotency-key': CALLER } });
    expect(status).toBeGreaterThanOrEqual(400);
    said.push(text);
  }
  said.push((await server.ask('GET', '/metrics')).text);
  said.push(JSON.stringify(server.turns.events), JSON.stringify(server.faults.map(String)));
  const prompts = JSON.stringify(server.turns.scripted.requests.map(({ body }) => body));
  expect(prompts).not.toContain(requestId);
  const repeated = said.filter((text) => text.includes(CALLER) || text.includes(MODEL));
  expect(repeated).toEqual([]);
});

it('writes no token to logs or responses', async () => {
  await using server = await httpServer({ store, script: () => reply.text('Hello.') });
  const texts = await Promise.all(
    ['/metrics', '/openapi.json', '/docs', '/api/chats', '/api/nothing'].map(
      async (path) => (await server.ask('GET', path)).text,
    ),
  );
  expect(texts.join(' ')).not.toContain(server.token);
  const { headers } = await server.ask('GET', '/api/models', { headers: { 'x-request-id': 'a: b' } });
  expect(headers.get('x-request-id')).not.toBe('a: b');
  expect(headers.get('access-control-allow-origin')).toBeNull();
});
