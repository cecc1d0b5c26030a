import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { UnsupportedFunctionalityError } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../../testing/src/scripted-model/turn/scripted-turn.ts';
import type { GenerateModel } from '../call/generate-options.ts';
import { generate } from '../generate.ts';
import { MODELS } from '../test-models.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const prompt = 'How many?';
const right = '{"moons":2}';
const byTool = reply.tool('submit_structured_output', { output: { moons: 2 } });

function answer({ tools }: ScriptedTurn): typeof byTool {
  return tools.length > 0 ? byTool : reply.text(right);
}

function plainModel(server: ScriptedModelServer): ReturnType<ReturnType<typeof createOpenAICompatible>> {
  return createOpenAICompatible({ name: 'plain', baseURL: server.openaiUrl })('scripted');
}

it('sends no schema to a model that declares no schema mode', async () => {
  await using server = await scriptedModelServer({ script: answer });
  const result = await generate({ model: plainModel(server), prompt, output });
  expect(result.provenance.mode).toBe('tool');
  expect(server.requests).toHaveLength(1);
});

it('continues if a model omits the schema with a warning, and counts that call too', async () => {
  const usage = { inputTokens: 4, outputTokens: 1 };
  await using server = await scriptedModelServer({
    localServer: 'ollama',
    script: (turn) => ({ ...answer(turn), usage }),
  });
  const model = silentModel(server);
  const codes: string[] = [];
  const asked = { model, prompt, output, onCall: ({ code }: { code: string }) => void codes.push(code) };
  const first = await generate(asked);
  expect(first).toMatchObject({ provenance: { mode: 'tool' }, usage: { inputTokens: 8, outputTokens: 2 } });
  await generate(asked);
  expect(codes).toEqual(['unsupported', 'ok', 'ok']);
});

it.each([
  [undefined, 2],
  // It also refuses a tool by its name.
  ['lm-studio' as const, 3],
])(
  'continues if JSON mode without a schema is refused, by the service of %s',
  async (localServer, requests) => {
    await using server = await scriptedModelServer({
      script: answer,
      ...(localServer !== undefined && { localServer }),
    });
    const result = await generate({ model: silentModel(server), prompt, output });
    expect(result.provenance.mode).toBe('tool');
    expect(server.requests).toHaveLength(requests);
  },
);

it('continues if the dialect cannot express the schema', async () => {
  await using server = await scriptedModelServer({ script: answer });
  let schema: z.ZodType = z.object({ moons: z.number().optional() });
  for (let depth = 0; depth < 12; depth += 1) {
    schema = z.object({ moons: z.number(), inner: schema.optional() });
  }
  const result = await generate({ model: openAi(server), prompt, output: Output.object({ schema }) });
  expect(result.provenance.mode).toBe('tool');
  expect(server.requests).toHaveLength(1);
});

it('continues if a provider reports no support', async () => {
  await using server = await scriptedModelServer({ script: answer });
  const inner = plainModel(server);
  const model: GenerateModel = {
    specificationVersion: 'v4',
    provider: 'unable',
    modelId: 'scripted',
    doGenerate: (options: Parameters<typeof inner.doGenerate>[0]) =>
      options.responseFormat?.type === 'json'
        ? Promise.reject(new UnsupportedFunctionalityError({ functionality: 'a schema' }))
        : inner.doGenerate(options),
    doStream: (options) => inner.doStream(options),
  };
  expect((await generate({ model, prompt, output })).provenance.mode).toBe('tool');
});

it('learns nothing from a service that is down', async () => {
  await using server = await scriptedModelServer({
    script: [
      reply.error(503, { message: 'response_format is not supported just now', retryAfterSeconds: 0 }),
      reply.text(right),
    ],
  });
  const result = await generate({ model: openAi(server), prompt, output });
  expect(result.provenance.mode).toBe('native');
});

it('keeps the schema mode of a service that is known to decode under it, even after a text refusal', async () => {
  await using server = await scriptedModelServer({
    script: [reply.text('I will not.'), reply.text(right), reply.text(right)],
  });
  const model = openAi(server);
  await generate({ model, prompt, output });
  expect((await generate({ model, prompt, output })).provenance.mode).toBe('native');
});

it('does not retry if the schema itself throws', async () => {
  await using server = await scriptedModelServer({ script: () => reply.text(right) });
  const schema = z.object({ moons: z.number() }).refine(() => {
    throw new RangeError('broken');
  });
  const asking = generate({ model: openAi(server), prompt, output: Output.object({ schema }) });
  await expect(asking).rejects.toMatchObject({ code: 'validator-error', attempts: [{}] });
  expect(server.turns).toHaveLength(1);
});

/** Ignores the schema with a warning, and does not declare that. */
function silentModel(server: ScriptedModelServer): GenerateModel {
  const inner = plainModel(server);
  return {
    specificationVersion: 'v4',
    provider: 'silent',
    modelId: 'scripted',
    doGenerate: (options) => inner.doGenerate(options),
    doStream: (options) => inner.doStream(options),
  };
}

function openAi(server: ScriptedModelServer): GenerateModel {
  const model = MODELS['openai responses']?.(server);
  return model ?? expect.unreachable('there is such a model');
}
