import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import { message, testServer } from './test-server.ts';

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const submit = (text: string): ReturnType<typeof reply.toolText> => reply.toolText(FINALIZER_NAME, text);

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

function lookTool(ran: string[]): ServerTool {
  return {
    definition: { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } },
    run: (input) => {
      ran.push(JSON.stringify(input));
      return Promise.resolve(toolSuccess('a cat'));
    },
  };
}

describe('an ordinary turn', () => {
  it('ends with the text of the model', async () => {
    await using server = await testServer({ store, script: [reply.text('Hello.')] });
    const chatId = await server.ask(message('Hi'));
    const rows = await server.messages(chatId);
    expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(rows[1]?.parts).toMatchObject([{ type: 'text', text: 'Hello.' }]);
  });

  it('runs tools and returns their results', async () => {
    const ran: string[] = [];
    await using server = await testServer({
      store,
      tools: [lookTool(ran)],
      script: [reply.tool('look', { at: 'it' }), reply.text('A cat.')],
    });
    await server.ask(message('What is it?'));
    expect(ran).toEqual(['{"at":"it"}']);
    expect(server.scripted.turns[1]?.lastToolResult?.text).toContain('a cat');
  });
});

describe('a turn with a response format', () => {
  it('ends at once with the accepted value, in one call', async () => {
    await using server = await testServer({ store, script: [submit('{"output": {"n": 7}}')] });
    await server.ask(message('Count', { requestId: 'r-1', schema }));
    const { receipt } = await server.receipt('r-1');
    expect(receipt).toMatchObject({
      status: 'succeeded',
      value: { n: 7 },
      value_text: '{"n":7}',
      mode: 'tool',
    });
    expect(server.scripted.requests).toHaveLength(1);
  });

  it('reports the errors to the model, and accepts the corrected answer', async () => {
    await using server = await testServer({
      store,
      script: [reply.text('Seven.'), submit('{"output":{"n":"7"}}'), submit('{"output":{"n":7}}')],
    });
    await server.ask(message('Count', { requestId: 'r-2', schema }));
    const { receipt } = await server.receipt('r-2');
    expect(receipt).toMatchObject({
      status: 'succeeded',
      attempts: [{ code: 'text_only' }, { code: 'invalid' }, { code: 'ok' }],
    });
  });

  it('fails after five texts in a row, and the chat waits for the next message', async () => {
    await using server = await testServer({ store, script: () => reply.text('No.') });
    const chatId = await server.ask(message('Count', { requestId: 'r-3', schema }));
    const { receipt } = await server.receipt('r-3');
    expect(receipt).toMatchObject({
      status: 'failed',
      error: { code: 'structured_output_not_produced', reason: 'text_only' },
    });
    expect(server.scripted.requests).toHaveLength(5);
    expect((await server.machine.readChat({ owner: 'owner', chatId })).status).toBe('waiting');
  });
});

it('lowers the schema for the native schema mode, and restores the answer to the original schema', async () => {
  const loose = {
    type: 'object',
    properties: { n: { type: 'integer' }, note: { type: 'string' } },
    required: ['n'],
  };
  await using server = await testServer({
    store,
    script: [reply.json({ n: 7, note: null })],
    model: (scripted) => createOpenAI({ baseURL: scripted.openaiUrl, apiKey: 'test' }).responses('gpt-5'),
    capabilities: { takesRequiredChoice: false },
  });
  await server.ask(message('Count', { requestId: 'native-1', schema: loose }));
  const { receipt } = await server.receipt('native-1');
  expect(receipt).toMatchObject({ status: 'succeeded', mode: 'native', value_text: '{"n":7}' });
});
