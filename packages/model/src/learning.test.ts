import { createAnthropic } from '@ai-sdk/anthropic';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { COSTLY, optionalProperties } from '../../../test/schema-suite/costly-schemas.ts';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { Output } from '@truecast/core/internal/output/output';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import type { ModelScript } from '../../testing/src/scripted-model/model-script.ts';
import { scriptedModelServer } from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../testing/src/scripted-model/turn/scripted-turn.ts';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';

// On a busy machine, loading the SDK can take longer than one call waits for another.
beforeAll(async () => {
  await Promise.all([import('ai'), import('@ai-sdk/openai-compatible')]);
});

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const prompt = 'How many?';

const neither: ModelScript = (turn) => {
  if (turn.jsonSchema !== undefined) return reply.error(400, { message: 'json_schema is not supported' });
  if (turn.tools.length > 0) return reply.error(400, { message: 'tools are not supported' });
  return reply.text('{"moons":2}');
};

it('learns unsupported features once, even from concurrent calls', async () => {
  await using server = await scriptedModelServer({ script: neither });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const results = await Promise.all([1, 2, 3].map(() => generate({ model, prompt, output })));
  expect(results.map((result) => result.provenance.mode)).toEqual(['json', 'json', 'json']);
  expect(server.turns).toHaveLength(5);
});

it('does not keep calls waiting for the first answer', async () => {
  await using server = await scriptedModelServer({
    script: [reply.delay(60_000, reply.text('{"moons":1}')), reply.text('{"moons":2}')],
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const controller = new AbortController();
  const slow = generate({ model, prompt, output, signal: controller.signal }).catch(() => 'ended');
  expect((await generate({ model, prompt, output })).output).toEqual({ moons: 2 });
  controller.abort();
  expect(await slow).toBe('ended');
});

it('ends a call that waits with its signal’s reason', async () => {
  await using server = await scriptedModelServer({ script: [reply.delay(60_000, reply.text('{}'))] });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const first = new AbortController();
  const asking = generate({ model, prompt, output, signal: first.signal }).catch(() => 'ended');
  while (server.turns.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const signal = AbortSignal.timeout(20);
  await expect(generate({ model, prompt, output, signal })).rejects.toHaveProperty('name', 'TimeoutError');
  expect(server.turns).toHaveLength(1);
  first.abort();
  await asking;
});

it('learns nothing from a reply that was cut', async () => {
  await using server = await scriptedModelServer({
    script: (turn) =>
      turn.turnIndex === 0 ? reply.text('I am glad to help you', { finishReason: 'length' }) : deaf(turn),
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  await generate({ model, prompt, output, maxCorrections: 0 }).catch(() => undefined);
  await generate({ model, prompt, output });
  // The cut reply is no proof, so that one whole reply of prose is enough to leave the schema mode.
  const { provenance } = await generate({ model, prompt, output });
  expect(provenance).toMatchObject({ mode: 'json', attempts: [{ code: 'ok' }] });
});

/** A server that ignores schemas and tools: its model obeys words alone. */
const deaf = ({ messages }: ScriptedTurn): ScriptedReply =>
  JSON.stringify(messages).includes('\\"moons\\": number')
    ? reply.text('{"moons":2}')
    : reply.text('There are two.');

it('is right from the first call on with a server that ignores schemas and tools', async () => {
  await using server = await scriptedModelServer({ script: deaf });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const first = await generate({ model, prompt, output });
  expect(first.provenance).toMatchObject({
    mode: 'tool',
    attempts: [{ code: 'invalid-json', rawMatched: 'There are two.' }, { code: 'ok' }],
    repairs: [{ kind: 'answer-in-text' }],
  });
  // The model gets the schema, and sees nothing of its earlier reply.
  expect(JSON.stringify(server.turns[1]?.messages)).not.toContain('There are two.');
  for (const turns of [3, 4]) {
    const { provenance } = await generate({ model, prompt, output });
    expect(provenance).toMatchObject({ mode: 'json', attempts: [{ code: 'ok' }], repairs: [] });
    expect(server.turns).toHaveLength(turns);
  }
});

it('keeps the tool mode with a server that has called the tool once', async () => {
  const call = reply.tool('submit_structured_output', { output: { moons: 2 } });
  await using server = await scriptedModelServer({
    script: [
      reply.error(400, { message: 'json_schema is not supported' }),
      call,
      reply.text('Two.'),
      call,
      call,
    ],
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  for (const attempts of [1, 2, 1]) {
    const { provenance } = await generate({ model, prompt, output });
    expect(provenance).toMatchObject({ mode: 'tool', repairs: [] });
    expect(provenance.attempts).toHaveLength(attempts);
  }
});

it('asks for JSON without a schema, and once more without where that is refused', async () => {
  const asksForJson = ({ body }: { readonly body: string }): boolean => body.includes('json_object');
  await using modern = await scriptedModelServer({ script: () => reply.text('{"moons":2}') });
  const able = openAICompatible({ baseURL: modern.openaiUrl, model: 'scripted' });
  await generate({ model: able, prompt, output, mode: 'json' });
  await generate({ model: able, prompt, output: Output.choice({ options: ['2'] }), mode: 'json' }).catch(
    String,
  );
  expect(modern.requests.slice(0, 2).map(asksForJson)).toEqual([true, false]);
  await using old = await scriptedModelServer({
    script: ({ body }) =>
      JSON.stringify(body).includes('json_object')
        ? reply.error(400, { message: 'response_format json_object is not supported' })
        : reply.text('{"moons":2}'),
  });
  const model = openAICompatible({ baseURL: old.openaiUrl, model: 'scripted' });
  for (const requests of [2, 3]) {
    expect((await generate({ model, prompt, output, mode: 'json' })).output).toEqual({ moons: 2 });
    expect(old.requests).toHaveLength(requests);
  }
});

it('keeps the schema mode with a server that has decoded under it once', async () => {
  await using server = await scriptedModelServer({
    script: [
      reply.text('{"moons":2}'),
      reply.text('Two.'),
      reply.text('{"moons":2}'),
      reply.text('{"moons":2}'),
    ],
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  for (const attempts of [1, 2, 1]) {
    const { provenance } = await generate({ model, prompt, output });
    expect(provenance).toMatchObject({ mode: 'native' });
    expect(provenance.attempts).toHaveLength(attempts);
  }
});

it.each([
  'Failed to initialize samplers: failed to parse grammar',
  'JSON schema conversion failed: Unrecognized schema',
])('uses another mode for this schema if it exceeds a limit: %s', async (message) => {
  await using server = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: (turn) =>
      turn.jsonSchema === undefined
        ? reply.tool('submit_structured_output', { output: { moons: 2 } })
        : reply.error(500, { message }),
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  for (const turns of [2, 3]) {
    expect((await generate({ model, prompt, output })).provenance.mode).toBe('tool');
    expect(server.turns).toHaveLength(turns);
  }
});

it.each([
  'The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools.',
  'Schemas contains too many optional parameters (31), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: 24).',
  'Schemas contains too many parameters with union types (24 parameters with type arrays or anyOf). Reduce the number of union types (limit: 16), which would make grammar compilation inefficient.',
  'Schema is too complex for compilation.',
])('uses the tool mode if Anthropic refuses the size of the schema: %s', async (message) => {
  await using server = await scriptedModelServer({
    script: (turn) =>
      turn.jsonSchema === undefined
        ? reply.tool('submit_structured_output', { output: { moons: 2 } })
        : reply.error(400, { message }),
  });
  const model = createAnthropic({ baseURL: `${server.anthropicUrl}/v1`, apiKey: 'test' })(
    'claude-sonnet-4-5',
  );
  for (const turns of [2, 3]) {
    const result = await generate({ model, prompt, output });
    expect(result.output).toEqual({ moons: 2 });
    expect(result.provenance.mode).toBe('tool');
    expect(server.turns).toHaveLength(turns);
  }
});

it('uses the tool mode at once if lowering refuses the schema', async () => {
  await using server = await scriptedModelServer({
    script: [reply.tool('submit_structured_output', { output: { p0: 'x' } })],
  });
  const model = createAnthropic({ baseURL: `${server.anthropicUrl}/v1`, apiKey: 'test' })(
    'claude-sonnet-4-5',
  );
  const schema = jsonSchema.unchecked(optionalProperties(80));
  const result = await generate({ model, prompt, output: Output.object({ schema }) });
  expect(result.provenance.mode).toBe('tool');
  expect(server.turns).toHaveLength(1);
  expect(server.turns[0]?.jsonSchema).toBeUndefined();
});

it.each(COSTLY)('answers by some mode for $name', async ({ schema }) => {
  await using server = await scriptedModelServer({
    script: (turn) =>
      turn.tools.length > 0 ? reply.tool('submit_structured_output', { output: {} }) : reply.text('{}'),
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const own = jsonSchema.unchecked(schema);
  const asked = generate({ model, prompt, output: Output.object({ schema: own }) });
  const outcome = await asked.then(
    ({ provenance }) => provenance.mode,
    (error: unknown) => (StructuredOutputError.isInstance(error) ? error.code : error),
  );
  expect(['native', 'tool', 'json', 'schema-mismatch']).toContain(outcome);
});
