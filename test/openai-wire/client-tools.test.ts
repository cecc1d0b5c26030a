/** Requests of today's clients: tools in groups, custom and hosted tools, files in outputs, unused fields. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { startWire, type Wire } from './start-wire.ts';

const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';
const ping = { type: 'function', name: 'ping', parameters: { type: 'object', properties: {} } } as const;
const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Changes files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' },
} as const;
const group = {
  type: 'namespace',
  name: 'crew',
  description: 'Other agents.',
  tools: [ping, { ...ping, name: 'spawn' }],
};

const answered = z.looseObject({ output: z.array(z.looseObject({ type: z.string() })) });

async function respond(wire: Wire, body: object): Promise<{ response: Response; text: string }> {
  const response = await fetch(`${wire.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test', input: 'go', ...body }),
  });
  return { response, text: await response.text() };
}

async function output(wire: Wire, body: object): Promise<readonly unknown[]> {
  return answered.parse(JSON.parse((await respond(wire, body)).text)).output;
}

const CALLS: ModelScript = [
  reply.tool('apply_patch', { input: '*** Begin Patch' }),
  reply.tool('crew__ping', {}),
  reply.tool('spawn', {}),
];

it('custom tools and tools of a namespace reach the model as functions, and their calls come back as such', async () => {
  await using wire = await startWire({ script: CALLS });
  const tools = [ping, patch, group];
  const custom = { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' };
  expect(await output(wire, { tools })).toMatchObject([custom]);
  expect(await output(wire, { tools })).toMatchObject([
    { type: 'function_call', name: 'ping', namespace: 'crew', arguments: '{}' },
  ]);
  const streamed = await respond(wire, { tools, stream: true });
  expect(streamed.text).toContain('"name":"spawn","namespace":"crew"');
  const [offered] = wire.upstream.turns;
  expect(offered?.tools.map(({ name }) => name)).toEqual(['ping', 'apply_patch', 'crew__ping', 'spawn']);
  expect(offered?.tools[1]?.description).toContain('Begin Patch');
});

it('calls of custom tools and of namespaces, and their outputs, reach the model', async () => {
  await using wire = await startWire({ script: [reply.text('Done.')] });
  await respond(wire, {
    tools: [ping, patch, group],
    input: [
      { role: 'user', content: 'go' },
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: 'a "b"' },
      { type: 'function_call', call_id: 'c2', name: 'ping', namespace: 'crew', arguments: '{}' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'patched' },
      { type: 'function_call_output', call_id: 'c2', output: 'pong' },
    ],
  });
  const [turn] = wire.upstream.turns;
  const calls = turn?.messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool-call');
  expect(calls).toMatchObject([
    { name: 'apply_patch', input: { input: 'a "b"' } },
    { name: 'crew__ping', input: {} },
  ]);
  expect(turn?.toolResults.map(({ text }) => text)).toEqual(['patched', 'pong']);
});

it('a streamed call of a custom tool has the events of its input', async () => {
  await using wire = await startWire({ script: CALLS });
  const { text } = await respond(wire, { tools: [patch], stream: true });
  const types = [...text.matchAll(/^event: (.*)$/gmu)].map(([, type]) => type);
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.completed',
  ]);
});

it('a tool that OpenAI hosts is set aside and named, unless a call is required', async () => {
  await using wire = await startWire({ script: [reply.text('No search.')] });
  const tools = [ping, { type: 'web_search', external_web_access: true }];
  const { response } = await respond(wire, { tools });
  expect([response.status, response.headers.get('x-truecast-ignored')]).toEqual([
    200,
    'tools[1] (web_search)',
  ]);
  expect(wire.upstream.turns[0]?.tools.map(({ name }) => name)).toEqual(['ping']);
  const refused = await respond(wire, { tools, tool_choice: 'required' });
  expect(refused.response.status).toBe(400);
  expect(refused.text).toContain('tools[1].type');
});

it.each(['wéb', 'a\nx-evil: 1', 'x'.repeat(70_000)])(
  'a tool of the type %j is named by its place',
  async (type) => {
    await using wire = await startWire({ script: [reply.text('Hm.')] });
    const { response } = await respond(wire, { tools: [ping, { type }] });
    expect([response.status, response.headers.get('x-truecast-ignored')]).toEqual([200, 'tools[1]']);
  },
);

it('a hundred fields and tools that are not used make no header that a client refuses', async () => {
  await using wire = await startWire({ script: [reply.text('Hm.')] });
  const tools = Array.from({ length: 100 }, () => ({ type: `web_${'x'.repeat(60)}` }));
  const fields = Object.fromEntries(
    Array.from({ length: 200 }, (_each, index) => [`${'y'.repeat(60)}${index}`, 1]),
  );
  const { response } = await respond(wire, { tools, ...fields });
  expect(response.headers.get('x-truecast-ignored')?.split(', ')).toHaveLength(40);
});

it('files in the output of a function reach the model after its results', async () => {
  await using wire = await startWire({ script: [reply.text('A cat.')] });
  await respond(wire, {
    tools: [ping],
    input: [
      { role: 'user', content: 'look' },
      { type: 'function_call', call_id: 'c1', name: 'ping', arguments: '{}' },
      { type: 'function_call', call_id: 'c2', name: 'ping', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_image', image_url: PICTURE }] },
      { type: 'function_call_output', call_id: 'c2', output: 'second' },
    ],
  });
  const [turn] = wire.upstream.turns;
  expect(JSON.stringify(turn?.body)).toContain('iVBORw0KGgo=');
  expect(turn?.toolResults.map(({ text }) => text)).toEqual([
    'The result is a file. It follows below.',
    'second',
  ]);
  const refused = await respond(wire, {
    tools: [ping],
    input: [
      { type: 'function_call', call_id: 'c1', name: 'ping', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [{ type: 'input_image', image_url: 'file:///x' }],
      },
    ],
  });
  expect([refused.response.status, refused.text.includes('input[1]')]).toEqual([400, true]);
});

it.each(['chat/completions', 'responses'])('fields of %s that are not used are named', async (route) => {
  await using wire = await startWire({ script: [reply.text('Hm.'), reply.text('Hm.')] });
  const content = route === 'responses' ? { input: 'go' } : { messages: [{ role: 'user', content: 'go' }] };
  const unused = {
    reasoning: { effort: 'low' },
    guided_json: { type: 'object' },
    top_k: 5,
    user: 'a',
    format: null,
  };
  for (const stream of [false, true]) {
    const response = await fetch(`${wire.url}/v1/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test', stream, ...content, ...unused }),
    });
    await response.text();
    expect(response.headers.get('x-truecast-ignored')).toBe('reasoning, guided_json, top_k');
  }
});

it('a compressed body is refused with 415', async () => {
  await using wire = await startWire({ script: [] });
  const response = await fetch(`${wire.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync('{"model":"test","input":"go"}'),
  });
  expect(response.status).toBe(415);
  expect(await response.text()).toContain('`gzip`');
});
