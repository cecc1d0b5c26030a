import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';
import { scriptedModelServer } from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import { MODELS } from './test-models.ts';

const output = Output.object({
  schema: jsonSchema({
    type: 'object',
    properties: { tags: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
    required: ['tags'],
    additionalProperties: false,
  }),
});

/** The first question of a schema by a schema mode. */
async function firstQuestion(schema: JsonSchema, name = 'openai compatible'): Promise<string> {
  await using server = await scriptedModelServer({ script: () => reply.json({ a: 1 }) });
  const model = MODELS[name]?.(server);
  if (model === undefined) expect.unreachable('there is such a model');
  const asked = Output.object({ schema: jsonSchema(schema) });
  const options = { model, prompt: 'How many?', output: asked, mode: 'native', maxCorrections: 0 } as const;
  await generate(options).catch(() => undefined);
  return server.turns[0]?.userText ?? '';
}

function objectOf(part: JsonSchema, count = 1): JsonSchema {
  const keys = Array.from({ length: count }, (_, index) => `k${index}`);
  return {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, part])),
    required: keys,
    additionalProperties: false,
  };
}

describe('the first question to an engine for grammars', () => {
  it.each<[string, JsonSchema]>([
    ['a bound of fractions', { type: 'number', minimum: 0, maximum: 1 }],
    ['distinct items', { type: 'array', items: { type: 'string' }, uniqueItems: true }],
    ['a look-around', { type: 'string', pattern: '^(?!a)[a-z]+$' }],
  ])('tells the schema in words if no grammar holds a rule: %s', async (_, part) => {
    expect(await firstQuestion(objectOf(part))).toMatch(/^How many\?\n\nAnswer: JSON only[^]*k0/u);
  });

  it('tells nothing of a schema that is held', async () => {
    expect(await firstQuestion(objectOf({ type: 'integer', minimum: 0, maximum: 1 }))).toBe('How many?');
  });

  it('tells nothing of a schema whose words would fill a small window', async () => {
    const long = objectOf({ type: 'number', minimum: 0, maximum: 1 }, 200);
    expect(await firstQuestion(long)).toBe('How many?');
  });

  it('tells nothing to a service that has its own form of the schema', async () => {
    const schema = objectOf({ type: 'array', items: { type: 'string' }, uniqueItems: true });
    expect(await firstQuestion(schema, 'openai responses')).toBe('How many?');
  });
});

it('an answer names the rules that the engine was not asked to hold, and the outcome counts them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-unenforced-'));
  const outcomes = join(folder, 'outcomes.jsonl');
  await using server = await scriptedModelServer({ script: () => reply.json({ tags: ['a'] }) });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const native = await generate({ model, prompt: 'x', output, mode: 'native', outcomes });
  expect(native.provenance.unenforced).toEqual([
    { path: ['properties', 'tags', 'uniqueItems'], keyword: 'uniqueItems' },
  ]);
  const line: unknown = JSON.parse(readFileSync(outcomes, 'utf8'));
  expect(line).toMatchObject({ unenforced: 1 });
  const json = await generate({ model, prompt: 'x', output, mode: 'json' });
  expect(json.provenance).not.toHaveProperty('unenforced');
  rmSync(folder, { recursive: true });
});
