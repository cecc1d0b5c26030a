/** Servers of unknown make behind `/v1` and chats: what they ignore is asked once, and then never. */
import { describe, expect, it } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { FORMAT, startServer, type StartedServer } from '../guarantees/routes/server.ts';

const ANSWER = '{"answer":42}';
const PROSE = reply.text('I am glad to help you with that.');
const LOOK_UP = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: {}, additionalProperties: false } },
} as const;

/** Holds a schema. Its template has no tools, so that it drops them and the forced choice in silence. */
const withoutTools = ({ jsonSchema }: ScriptedTurn): ScriptedReply =>
  jsonSchema === undefined ? PROSE : reply.text(ANSWER);
/** Ignores schemas, tools and the JSON mode: its model obeys words alone. */
const obeysWords = ({ messages }: ScriptedTurn): ScriptedReply =>
  JSON.stringify(messages).includes('JSON only, of this type') ? reply.text(ANSWER) : PROSE;

type Ask = (server: StartedServer) => Promise<{ readonly isAccepted: boolean }>;

describe.each<[string, Ask]>([
  ['/v1', (server) => server.completion({ response_format: FORMAT })],
  ['a chat', (server) => server.chat('How many?', { response_format: FORMAT })],
])('%s', (_, ask) => {
  const callsOf = async (script: (turn: ScriptedTurn) => ScriptedReply): Promise<readonly unknown[]> => {
    await using upstream = await scriptedModelServer({ localServer: 'llama.cpp', script });
    await using server = await startServer({ serviceUrl: upstream.openaiUrl });
    const seen: unknown[] = [];
    for (const _time of [1, 2]) {
      const { isAccepted } = await ask(server);
      seen.push(isAccepted, upstream.turns.length);
    }
    return seen;
  };

  it('is answered in one call by a server that holds schemas and drops tools', async () => {
    expect(await callsOf(withoutTools)).toEqual([true, 1, true, 2]);
  });

  it('asks in words, after one call of each way that a server ignores', async () => {
    expect(await callsOf(obeysWords)).toEqual([true, 3, true, 4]);
  });

  it('learns nothing from replies that were cut', async () => {
    const cut = reply.text('I am glad to', { finishReason: 'length' });
    const script = (turn: ScriptedTurn): ScriptedReply => (turn.turnIndex === 0 ? cut : withoutTools(turn));
    expect(await callsOf(script)).toEqual([true, 2, true, 3]);
  });
});

it('asks by schema without lengths, once a service has refused them', async () => {
  const properties = { title: { type: 'string', maxLength: 40 } };
  const schema = { type: 'object', properties, required: ['title'], additionalProperties: false };
  const format = { type: 'json_schema', json_schema: { name: 'titled', schema } };
  await using upstream = await scriptedModelServer({ script: () => reply.text('{"title":"Fog"}') });
  await using server = await startServer({ serviceUrl: upstream.openaiUrl });
  for (const requests of [2, 3]) {
    const { isAccepted } = await server.chat('How?', { response_format: format });
    const asked = upstream.requests.filter(({ body }) => body.includes('"messages"'));
    expect([isAccepted, asked.length]).toEqual([true, requests]);
  }
  expect(upstream.turns.map(({ jsonSchema }) => jsonSchema)).toEqual([
    expect.objectContaining({ required: ['title'] }),
    expect.objectContaining({ required: ['title'] }),
  ]);
  expect(upstream.turns[0]?.jsonSchema).not.toHaveProperty('properties.title.maxLength');
});

it('asks for the answer by schema once the model writes text instead of calling a function', async () => {
  await using upstream = await scriptedModelServer({ localServer: 'llama.cpp', script: withoutTools });
  await using server = await startServer({ serviceUrl: upstream.openaiUrl });
  for (const calls of [2, 4]) {
    const { isAccepted, value } = await server.completion({ response_format: FORMAT, tools: [LOOK_UP] });
    expect([isAccepted, value, upstream.turns.length]).toEqual([true, ANSWER, calls]);
  }
  expect(upstream.turns.map(({ tools }) => tools.length)).toEqual([2, 0, 2, 0]);
});

it('stores an answer by schema as a call and its result', async () => {
  await using upstream = await scriptedModelServer({ localServer: 'llama.cpp', script: withoutTools });
  await using server = await startServer({ serviceUrl: upstream.openaiUrl });
  const { message } = await server.chat('How many?', { response_format: FORMAT });
  expect(message).toContain('"tool_name":"submit_structured_output"');
  expect(message).toContain('"mode":"native"');
});

it('a receipt names the mode of each attempt, from the schema to the words', async () => {
  await using upstream = await scriptedModelServer({ localServer: 'llama.cpp', script: obeysWords });
  await using server = await startServer({ serviceUrl: upstream.openaiUrl });
  const { message } = await server.chat('How many?', { response_format: FORMAT });
  const receipt = message.slice(message.lastIndexOf('\n'));
  const modes = [...receipt.matchAll(/\{"code":"(\w+)","mode":"(\w+)"/gu)];
  expect(modes.map(([, code, mode]) => [code, mode])).toEqual([
    ['malformed', 'native'],
    ['text_only', 'tool'],
    ['ok', 'json'],
  ]);
});

it('a receipt names the rules that the engine was not asked to hold', async () => {
  const tags = { type: 'array', items: { type: 'string' }, uniqueItems: true };
  const schema = { type: 'object', properties: { tags }, required: ['tags'], additionalProperties: false };
  const format = { type: 'json_schema', json_schema: { name: 'tagged', schema } };
  await using upstream = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: () => reply.text('{"tags":["a"]}'),
  });
  await using server = await startServer({ serviceUrl: upstream.openaiUrl });
  const { message } = await server.chat('Which?', { response_format: format });
  expect(message).toContain('"unenforced":[{"path":"/properties/tags/uniqueItems","keyword":"uniqueItems"}]');
  expect((await server.chat('How?', { response_format: FORMAT })).message).not.toContain('"unenforced"');
});

it('gives a wrong value back once, and nothing of other replies, with the next seed', async () => {
  const said = ['{"answer":"a lot"}', '{"answer":"more"}', 'I am glad to help.', ANSWER];
  await using upstream = await scriptedModelServer({
    localServer: 'llama.cpp',
    // The third reply is cut, so that it shows nothing about the schema mode.
    script: ({ turnIndex }) =>
      reply.text(said[turnIndex] ?? '', turnIndex === 2 ? { finishReason: 'length' } : {}),
  });
  await using server = await startServer({ serviceUrl: upstream.openaiUrl });
  const { isAccepted } = await server.completion({ response_format: FORMAT, seed: 7 });
  expect([isAccepted, upstream.turns.length]).toEqual([true, 4]);
  expect(upstream.turns.map(({ messages }) => messages.length)).toEqual([1, 3, 1, 1]);
  const seeds = upstream.turns.map(({ body }) => (body as { readonly seed?: number }).seed);
  expect(seeds).toEqual([7, 7, 8, 9]);
  // Other requests than turns ask for the window. They have no body.
  expect(upstream.requests.filter(({ body }) => body.includes('"seed"'))).toHaveLength(4);
});

describe.each<[string, Ask]>([
  ['/v1', (server) => server.completion({ response_format: FORMAT, tools: [LOOK_UP] })],
  [
    'a chat',
    (server) => {
      const { name, parameters } = LOOK_UP.function;
      const tools = [{ name, input_schema: parameters }];
      return server.chat('How many?', { response_format: FORMAT, tools });
    },
  ],
])('a refused call of the answer tool in %s', (_, ask) => {
  it('goes back once if it is a wrong value, and never if it was cut', async () => {
    const submit = (args: string, finishReason?: 'length'): ScriptedReply =>
      reply.toolText('submit_structured_output', args, finishReason === undefined ? {} : { finishReason });
    await using upstream = await scriptedModelServer({
      script: [
        submit('{"output":{"answer":"a lot"}}'),
        submit('{"output":{"answer":"more"}}'),
        submit('{"output":{"ans', 'length'),
        submit(`{"output":${ANSWER}}`),
      ],
      localServer: 'llama.cpp',
    });
    await using server = await startServer({ serviceUrl: upstream.openaiUrl });
    const { isAccepted } = await ask(server);
    expect([isAccepted, upstream.turns.length]).toEqual([true, 4]);
    expect(upstream.turns.map(({ toolResults }) => toolResults.length)).toEqual([0, 1, 0, 0]);
  });
});
