/** Lengths of strings in requests: sent where the service can use them. */
import { expect, it } from 'vitest';
import { Output } from '@truecast/core/internal/output/output';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { reply } from '../scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../scripted-model/scripted-model-server.ts';
import { withLengths } from './string-lengths.ts';

const text = { type: 'string', minLength: 1, maxLength: 40 };
const schema = jsonSchema({
  type: 'object',
  properties: {
    title: text,
    tags: { type: 'array', items: text },
    long: { type: 'string', maxLength: 9_000 },
  },
  required: ['title', 'tags', 'long'],
  additionalProperties: false,
});
const asked = { prompt: 'Name it.', output: Output.object({ schema }) };
const answer = (): ReturnType<typeof reply.text> =>
  reply.text(JSON.stringify({ title: 'Fog', tags: ['sea'], long: '' }));

it('sends them to a local server, up to the repetitions that its grammar allows', async () => {
  await using server = await scriptedModelServer({ script: answer, localServer: 'llama.cpp' });
  await generate({ model: openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' }), ...asked });
  expect(server.turns[0]?.jsonSchema).toMatchObject({
    properties: { title: text, tags: { items: text }, long: { type: 'string' } },
  });
  expect(server.turns[0]?.jsonSchema).not.toHaveProperty('properties.long.maxLength');
});

it('asks again without them, once, if the service rejects them', async () => {
  await using server = await scriptedModelServer({ script: answer });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  for (const requests of [2, 3]) {
    expect((await generate({ model, ...asked })).provenance.route).toBe('native');
    expect(server.requests).toHaveLength(requests);
  }
  expect(server.turns[0]?.jsonSchema).not.toHaveProperty('properties.title.maxLength');
});

it('does not send those below a union, whose members the lowering can reorder', () => {
  const lowered = { type: 'object', properties: { name: { anyOf: [{ type: 'string' }] } } };
  const path = ['properties', 'name', 'anyOf', 0, 'maxLength'];
  const original = { properties: { name: { anyOf: [text] } } };
  const losses = [{ path, keyword: 'maxLength', reason: '' }];
  expect(withLengths({ schema: lowered, losses }, original)).toBe(lowered);
});
