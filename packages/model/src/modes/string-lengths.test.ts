/** Lengths of strings in requests: sent where the service can use them. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';

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
    expect((await generate({ model, ...asked })).provenance.mode).toBe('native');
    expect(server.requests).toHaveLength(requests);
  }
  expect(server.turns[0]?.jsonSchema).not.toHaveProperty('properties.title.maxLength');
});

it('sends patterns that its engine can read, in a schema and in the input of a tool', async () => {
  await using server = await scriptedModelServer({ script: answer, localServer: 'llama.cpp' });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const dated = z.object({ on: z.iso.date(), room: z.string().regex(/^[A-Z]-\d{3}$/u) });
  for (const mode of ['native', 'tool'] as const) {
    await generate({
      model,
      prompt: 'When?',
      mode,
      output: Output.object({ schema: dated }),
    }).catch(() => undefined);
  }
  const sentBy = (name: string): string =>
    JSON.stringify(
      server.requests.map(({ body }) => body).find((body) => JSON.stringify(body).includes(name)),
    );
  const [native, tool] = [sentBy('response_format'), sentBy('tool_choice')];
  for (const sent of [native, tool]) {
    expect(sent).toContain('^[A-Z]-[0-9]{3}$');
    expect(sent).not.toMatch(/\\d|"format"|\(\?/u);
  }
});
