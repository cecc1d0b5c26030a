/** Services that refuse a schema in their own words: the tool mode is tried once, and remembered. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';

const schema = z.object({ moons: z.number() });
const NAME = 'submit_structured_output';
const REFUSALS = [
  'The specified schema produces a constraint that has too many states for serving.',
  'A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.',
  "Invalid value at 'generation_config.response_schema.properties[0].value' (TYPE_STRING), 60",
  'Das Schema passt nicht.',
];

function isNative(body: unknown): boolean {
  return JSON.stringify(body).includes('"json_schema"');
}

it.each(REFUSALS)('takes the tool mode, and at once in the next call: %s', async (message) => {
  await using server = await scriptedModelServer({
    script: ({ body }) =>
      isNative(body) ? reply.error(400, { message }) : reply.toolText(NAME, '{"moons":2}'),
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  const output = Output.object({ schema });
  for (const requests of [2, 3]) {
    const { output: value } = await generate({ model, prompt: 'x', output });
    expect([value, server.turns.length]).toEqual([{ moons: 2 }, requests]);
  }
  // Another schema can fit.
  await generate({ model, prompt: 'x', output: Output.object({ schema: z.object({ moons: z.int() }) }) });
  expect(server.turns).toHaveLength(5);
});

it('rejects after one further request if the schema was not the reason', async () => {
  await using server = await scriptedModelServer({
    script: () => reply.error(400, { message: 'Das geht nicht.' }),
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  const asking = generate({ model, prompt: 'x', output: Output.object({ schema }) });
  await expect(asking).rejects.toMatchObject({ code: 'http', statusCode: 400 });
  expect(server.turns).toHaveLength(2);
});

it.each([
  ['a key', 'Incorrect API key provided.'],
  ['credit', 'No credit.'],
  ['the window', "This model's maximum context length is 8192 tokens."],
  ['another parameter', 'Unknown parameter: logit_bias'],
])('rejects at once if the refusal is about %s', async (_, message) => {
  await using server = await scriptedModelServer({ script: () => reply.error(400, { message }) });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  const asking = generate({ model, prompt: 'x', output: Output.object({ schema }) });
  await expect(asking).rejects.toMatchObject({ statusCode: 400 });
  expect(server.turns).toHaveLength(1);
});
