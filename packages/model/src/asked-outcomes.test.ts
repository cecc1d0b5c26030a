import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { Output } from '@truecast/core/internal/output/output';
import { scriptedModelServer } from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../testing/src/scripted-model/turn/scripted-turn.ts';
import { generate } from './generate.ts';
import { MODELS } from './test-models.ts';

const output = Output.object({
  schema: z.object({ db: z.string(), port: z.number().optional() }),
  question: true,
  decline: true,
});
const prompt = 'Choose the database.';

const CASES: readonly (readonly [said: JsonValue, outcome: unknown])[] = [
  [{ answer: { db: 'pg' } }, { outcome: 'answered', answer: { db: 'pg' } }],
  [
    { question: { text: 'Which?', options: ['pg', 'my'] } },
    { outcome: 'question', question: { text: 'Which?', options: ['pg', 'my'] } },
  ],
  [{ declined: 'There is none.' }, { outcome: 'declined', reason: 'There is none.' }],
];

/** Answers in the form that the request holds: in its envelope, with null for an absent member. */
function says(value: JsonValue): (turn: ScriptedTurn) => ScriptedReply {
  return ({ jsonSchema, tools: [tool] }) => {
    if (jsonSchema === undefined) {
      return tool === undefined
        ? reply.text(JSON.stringify(value))
        : reply.tool(tool.name, { output: value });
    }
    const isWrapped = isRecord(jsonSchema) && isRecord(jsonSchema['properties']);
    const schema = isWrapped ? Object(jsonSchema['properties']).output : jsonSchema;
    const held = complete(schema, value);
    return reply.text(JSON.stringify(isWrapped ? { output: held } : held));
  };
}

function complete(schema: unknown, value: unknown): unknown {
  if (!isRecord(schema) || !isRecord(value)) return value;
  const branches = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as unknown[]) : [schema];
  const branch = branches.find((each) => Object.keys(value).every((key) => key in propertiesOf(each)));
  const properties = propertiesOf(branch);
  const required = isRecord(branch) ? branch['required'] : undefined;
  const keys = Array.isArray(required) ? (required as string[]) : Object.keys(value);
  return Object.fromEntries(
    [...new Set([...keys, ...Object.keys(value)])].map((key) => [
      key,
      key in value ? complete(properties[key], value[key]) : null,
    ]),
  );
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) ? properties : {};
}

describe.each(Object.entries(MODELS))('with the provider of %s', (_name, makeModel) => {
  it.each(CASES)('takes %j in the first reply', async (value, expected) => {
    await using server = await scriptedModelServer({ script: says(value) });
    const result = await generate({ model: makeModel(server), prompt, output });
    expect(result.output).toEqual(expected);
    expect(result.provenance.attempts).toHaveLength(1);
  });

  it('asks again for a question without text', async () => {
    const [bad, good] = [says({ question: { text: '' } }), says({ question: { text: 'Which?' } })];
    await using server = await scriptedModelServer({ script: [bad, good] });
    const result = await generate({ model: makeModel(server), prompt, output });
    expect(result.output).toEqual({ outcome: 'question', question: { text: 'Which?' } });
    expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
  });
});

it.each(['native', 'tool', 'json'] as const)('takes each outcome in the mode `%s`', async (mode) => {
  for (const [value, expected] of CASES) {
    await using server = await scriptedModelServer({ script: says(value) });
    const model = MODELS['openai chat']?.(server);
    if (model === undefined) throw new Error('Expected a model.');
    const result = await generate({ model, prompt, output, mode });
    expect(result.output).toEqual(expected);
    expect(result.provenance.mode).toBe(mode);
  }
});

it('takes each outcome between tags', async () => {
  for (const [value, expected] of CASES) {
    const script = [reply.text(`Done. <r>${JSON.stringify(value)}</r>`)];
    await using server = await scriptedModelServer({ script });
    const model = MODELS['openai compatible']?.(server);
    if (model === undefined) throw new Error('Expected a model.');
    const tagged = Output.object({ ...output, tag: 'r' });
    const result = await generate({ model, prompt: `${prompt} In <r>.`, output: tagged });
    expect(result.output).toEqual(expected);
  }
});
