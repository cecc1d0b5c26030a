import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentTools } from '../../packages/server/src/tools/agent-tools.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import { submit } from './answers.ts';
import { message, testServer } from './test-server.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const format = { type: 'json_schema', json_schema: { name: 'count', schema } };

async function play(
  spawned: Record<string, JsonValue>,
  child: ScriptedReply,
): Promise<{ said: string; childTools: string[] }> {
  const script = (turn: ScriptedTurn): ScriptedReply => {
    if (turn.userText === 'Count') return child;
    const result = turn.lastToolResult;
    if (result === undefined) return reply.tool('spawn_agent', { prompt: 'Count', ...spawned });
    const id = /[0-9a-f-]{36}/u.exec(result.text)?.[0] ?? '';
    return result.name === 'spawn_agent' ? reply.tool('wait_agent', { chat_id: id }) : reply.text('Done.');
  };
  const machine = createChatMachine({ store });
  const tools = {
    list: (chat: Parameters<typeof agentTools>[1]) =>
      Promise.resolve({ tools: agentTools(machine, chat), problems: [] }),
  };
  await using server = await testServer({ store, script, ports: { tools } });
  await server.ask(message('Have it counted'));
  const of = (text: string): ScriptedTurn | undefined =>
    server.scripted.turns.find(({ userText }) => userText === text);
  return {
    said: server.scripted.turns.at(-1)?.lastToolResult?.text ?? '',
    childTools: of('Count')?.tools.map(({ name }) => name) ?? [],
  };
}

it('a child with a format returns a value that fits it, and has no children itself', async () => {
  const { said, childTools } = await play({ response_format: format }, submit('{"output":{"n":7}}'));
  expect(said).toContain('"value":{"n":7}');
  expect(childTools).toEqual(['submit_structured_output']);
});

it('a child without a format returns its last text', async () => {
  const { said } = await play({}, reply.text('Seven.'));
  expect(said).toContain('"report":"Seven."');
});

it('a child without a valid answer is reported as a failure', async () => {
  const { said } = await play({ response_format: format }, submit('{"output":{}}'));
  expect(said).toContain('no valid answer');
});
