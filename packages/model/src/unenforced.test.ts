import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';
import { scriptedModelServer } from './scripted-model/scripted-model-server.ts';
import { reply } from './scripted-model/turn/scripted-reply.ts';

const output = Output.object({
  schema: jsonSchema({
    type: 'object',
    properties: { tags: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
    required: ['tags'],
    additionalProperties: false,
  }),
});

it('an answer names the rules that the engine was not asked to hold, and the outcome counts them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-unenforced-'));
  const outcomes = join(folder, 'outcomes.jsonl');
  await using server = await scriptedModelServer({ script: () => reply.json({ tags: ['a'] }) });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const native = await generate({ model, prompt: 'x', output, route: 'native', outcomes });
  expect(native.provenance.unenforced).toEqual([
    { path: ['properties', 'tags', 'uniqueItems'], keyword: 'uniqueItems' },
  ]);
  const line: unknown = JSON.parse(readFileSync(outcomes, 'utf8'));
  expect(line).toMatchObject({ unenforced: 1 });
  const json = await generate({ model, prompt: 'x', output, route: 'json' });
  expect(json.provenance).not.toHaveProperty('unenforced');
  rmSync(folder, { recursive: true });
});
