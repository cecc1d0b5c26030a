import { describe, expect, it } from 'vitest';
import { scriptedModelServer } from '../scripted-model-server.ts';
import { chatBody, postChat } from '../test-client.ts';
import { reply } from '../turn/scripted-reply.ts';
import type { LocalServerName, ScriptedTurn } from '../turn/scripted-turn.ts';
import { heldByLlamaCppPython, heldByLlamaServer, type HeldSchema } from './held-schema.ts';

type Body = Readonly<Record<string, unknown>>;
const text = (keywords: object): Body => ({
  type: 'object',
  properties: { value: { type: 'string', ...keywords } },
});
const held = (keywords: object): HeldSchema => ({ type: 'held', schema: text(keywords) });
const ENDS: HeldSchema = { type: 'ends' };
const DROPPED: HeldSchema = { type: 'dropped' };

/** Keywords of a string, and what is left of them on llama-server and on llama-cpp-python. */
const STRINGS: readonly (readonly [object, HeldSchema, HeldSchema])[] = [
  ...['^[0-9]{4}$', '^([0-9]{2}|[a-z]{3})$', '^[0-9][.][0-9]$', String.raw`^[a-z\x2d]{3}$`].map(
    (pattern) => [{ pattern }, held({ pattern }), held({ pattern })] as const,
  ),
  [{ pattern: String.raw`^\d{4}$` }, held({}), ENDS],
  [{ pattern: String.raw`^[\w-]+$` }, held({}), ENDS],
  [{ pattern: String.raw`^a\.b$` }, held({ pattern: String.raw`^a\.b$` }), ENDS],
  [{ pattern: '^(?:a|b)$' }, held({ pattern: '^(?:a|b)$' }), DROPPED],
  [{ pattern: '[0-9]' }, held({}), DROPPED],
  [{ pattern: '^(?=a)[a-z]$' }, held({}), DROPPED],
  [{ pattern: String.raw`^\d$`, format: 'date' }, held({}), ENDS],
  [{ format: 'date' }, held({ format: 'date' }), held({ format: 'date' })],
  [{ format: 'email' }, held({}), held({})],
  [{ maxLength: 10 }, held({ maxLength: 10 }), held({ maxLength: 10 })],
  [{ maxLength: 3_000 }, held({ maxLength: 3_000 }), ENDS],
  [{ pattern: '^a+$', maxLength: 3 }, held({ pattern: '^a+$' }), held({ pattern: '^a+$' })],
];

it.each(STRINGS)('of a string with %j the grammar holds a part', (keywords, server, python) => {
  expect(heldByLlamaServer(text(keywords))).toEqual(server);
  expect(heldByLlamaCppPython(text(keywords))).toEqual(python);
});

it.each([
  [{ type: 'integer', minimum: 1, multipleOf: 2 }, { type: 'integer', minimum: 1 }, { type: 'integer' }],
  [{ type: 'number', maximum: 1 }, { type: 'number' }, { type: 'number' }],
])('of the number %j it holds a part', (schema, server, python) => {
  expect(heldByLlamaServer(schema)).toEqual({ type: 'held', schema: server });
  expect(heldByLlamaCppPython(schema)).toEqual({ type: 'held', schema: python });
});

it('keeps properties that have the name of a keyword', () => {
  const schema = { type: 'object', properties: { format: { type: 'string' }, pattern: { const: '\\d' } } };
  expect(heldByLlamaServer(schema)).toEqual({ type: 'held', schema });
});

const SCHEMA = text({ pattern: String.raw`^\d{4}$` });
const LIGHT = text({ maxLength: 4 });
const AS_SCHEMA = { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } } };
const beside = (schema: object): Body => ({ response_format: { type: 'json_object', schema } });
const TOOL = { type: 'function', function: { name: 'fill', parameters: LIGHT } };
const named = { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'fill' } } };
const required = { tools: [TOOL], tool_choice: 'required' };

async function turnOf(
  localServer: LocalServerName | undefined,
  body: Body,
): Promise<ScriptedTurn | undefined> {
  await using server = await scriptedModelServer({
    script: () => reply.text('x'),
    ...(localServer !== undefined && { localServer }),
  });
  await postChat(server, chatBody(body));
  return server.turns[0];
}

describe('a script sees what the server enforces', () => {
  it.each([
    ['llama.cpp', AS_SCHEMA, text({})],
    ['llama.cpp', beside(SCHEMA), text({})],
    ['llama-cpp-python', beside(LIGHT), LIGHT],
    ['llama-cpp-python', beside(text({ pattern: '(?:a)' })), undefined],
    [undefined, AS_SCHEMA, SCHEMA],
  ] as const)('%s: of the schema in %j', async (localServer, body, schema) => {
    expect((await turnOf(localServer, body))?.jsonSchema).toEqual(schema);
  });

  it.each([
    ['llama.cpp', named, 'auto'],
    ['llama.cpp', required, 'auto'],
    ['llama-cpp-python', named, { name: 'fill' }],
    ['llama-cpp-python', required, 'auto'],
    ['vllm', required, 'required'],
    [undefined, named, { name: 'fill' }],
    [undefined, { tools: [TOOL] }, 'auto'],
    [undefined, { tools: [TOOL], tool_choice: 'none' }, 'none'],
    [undefined, {}, 'none'],
  ] as const)('%s: of the choice in %j', async (localServer, body, choice) => {
    expect((await turnOf(localServer, body))?.toolChoice).toEqual(choice);
  });
});

it('llama-cpp-python refuses a schema format with status 500', async () => {
  await using server = await scriptedModelServer({ script: [], localServer: 'llama-cpp-python' });
  const { status, text: said } = await postChat(server, chatBody(AS_SCHEMA));
  expect([status, said.includes("Input should be 'text' or 'json_object'")]).toEqual([500, true]);
  expect(server.turns).toEqual([]);
});

it('llama.cpp refuses a schema that refers to its root', async () => {
  await using server = await scriptedModelServer({ script: [], localServer: 'llama.cpp' });
  const schema = { type: 'object', properties: { inner: { $ref: '#' } } };
  const { status, text: said } = await postChat(server, chatBody(beside(schema)));
  expect([status, said.includes('JSON schema conversion failed')]).toEqual([400, true]);
});

it.each([beside(SCHEMA), { ...named, tools: [{ ...TOOL, function: { name: 'fill', parameters: SCHEMA } }] }])(
  'the process of llama-cpp-python ends at %j, and nothing listens after it',
  async (body) => {
    await using server = await scriptedModelServer({ script: [], localServer: 'llama-cpp-python' });
    await expect(postChat(server, chatBody(body))).rejects.toThrow('fetch failed');
    const again = postChat(server, chatBody());
    await expect(again).rejects.toHaveProperty('cause.code', 'ECONNREFUSED');
    expect(server.failures).toEqual([]);
  },
);

describe('a window', () => {
  const long = { messages: [{ role: 'user', content: 'x'.repeat(4_000) }] };

  it('is reported by llama.cpp, which refuses what is longer', async () => {
    const window = { localServer: 'llama.cpp', contextTokens: 500 } as const;
    await using server = await scriptedModelServer({ script: () => reply.text('x'), ...window });
    const props: unknown = await (await fetch(`${server.url}/props`)).json();
    expect(props).toMatchObject({ default_generation_settings: { n_ctx: 500 } });
    const { status, body } = await postChat(server, chatBody(long));
    expect([status, body]).toMatchObject([400, { error: { type: 'exceed_context_size_error' } }]);
    expect((await postChat(server, chatBody())).status).toBe(200);
  });

  it('of another server is refused with the code of the service', async () => {
    await using server = await scriptedModelServer({ script: [], contextTokens: 500 });
    const { body } = await postChat(server, chatBody(long));
    expect(body).toMatchObject({ error: { code: 'context_length_exceeded' } });
    expect((await fetch(`${server.url}/props`)).status).toBe(404);
  });
});
