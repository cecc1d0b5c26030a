import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../../testing/src/scripted-model/turn/scripted-turn.ts';
import { generate } from '../generate.ts';
import type { GenerateMessage } from '../messages/generate-messages.ts';
import { MODELS } from '../test-models.ts';

const schema = z.object({ moons: z.number(), note: z.string().optional() });
const output = Output.object({ schema });
const compatible = MODELS['openai compatible'];
if (compatible === undefined) expect.unreachable('there is such a model');

function textsOf(turn: ScriptedTurn | undefined): readonly string[] {
  return (turn?.messages ?? []).map(
    ({ role, parts }) =>
      `${role}: ${parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(' + ')}`,
  );
}

describe('the native mode', () => {
  it.each([
    ['openai responses', ['moons', 'note']],
    ['openai compatible', ['moons', 'note']],
    ['anthropic', ['moons']],
    ['google', ['moons']],
  ])('lowers the schema for %s', async (name, required) => {
    await using server = await scriptedModelServer({ script: () => reply.text('{"moons":2,"note":null}') });
    const model = MODELS[name]?.(server);
    if (model === undefined) expect.unreachable('there is such a model');
    await generate({ model, prompt: 'How many?', output, maxCorrections: 0 }).catch(() => undefined);
    expect(server.turns[0]?.jsonSchema).toMatchObject({ required });
  });

  it('accepts a choice in its envelope', async () => {
    await using server = await scriptedModelServer({ script: [reply.text('{"output":"yes"}')] });
    const choice = Output.choice({ options: ['yes', 'no'] });
    const result = await generate({ model: compatible(server), prompt: 'Is it?', output: choice });
    expect(result).toMatchObject({ output: 'yes', provenance: { mode: 'native', repairs: [] } });
  });
});

/** The demonstration, as an earlier turn. */
const ANSWERED = [
  expect.stringMatching(
    /^user: The bridge[^]*\nAnswer: JSON only, of this type:\n\{ "days": number \}\nKeys: "days"$/u,
  ),
  'assistant: {"days":40961}',
];

describe('the json mode', () => {
  it.each<{ messages: readonly GenerateMessage[]; told: readonly unknown[] }>([
    {
      messages: [
        { role: 'user', content: 'How many?' },
        { role: 'assistant', content: 'Let me see.' },
      ],
      told: [
        'user: How many?',
        'assistant: Let me see.',
        ...ANSWERED,
        expect.stringMatching(
          /^user: Answer: JSON only, of this type:\n\{ "moons": number.*\nKeys: "moons", "note"$/u,
        ),
      ],
    },
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'How many?' }] },
      ],
      told: [
        'system: Be brief.',
        ...ANSWERED,
        expect.stringMatching(
          /^user: How many\? \+ Answer: JSON only, of this type:\n\{ "moons": number.*\nKeys: "moons", "note"$/u,
        ),
      ],
    },
  ])('puts its instructions last, and an answered question before, case %#', async ({ messages, told }) => {
    await using server = await scriptedModelServer({ script: [reply.text('{"moons":2}')] });
    await generate({ model: compatible(server), messages, output, mode: 'json' });
    expect(textsOf(server.turns[0])).toEqual(told);
  });
});

describe('a value of the demonstration', () => {
  const copied = reply.text('{"moons":40961}');

  it('is no answer, in a text either, and the question is asked anew', async () => {
    const names = Output.object({ schema: z.object({ names: z.array(z.string()) }) });
    await using server = await scriptedModelServer({
      script: [copied, reply.text('{"moons":2}'), reply.text('{"names":["Phobos","After 40961 minutes"]}')],
    });
    const model = compatible(server);
    const { provenance, output: value } = await generate({
      model,
      prompt: 'How many?',
      output,
      mode: 'json',
    });
    expect([value, provenance.attempts.map(({ code }) => code)]).toEqual([
      { moons: 2 },
      ['not-produced', 'ok'],
    ]);
    const asking = generate({ model, prompt: 'Which?', output: names, mode: 'json', maxCorrections: 0 });
    await expect(asking).rejects.toMatchObject({ code: 'not-produced' });
  });

  it('is an answer if the caller’s own text has it, and in a mode without a demonstration', async () => {
    await using server = await scriptedModelServer({ script: [copied, copied] });
    const model = compatible(server);
    const told = await generate({ model, prompt: 'Is it 40961?', output, mode: 'json', maxCorrections: 0 });
    const held = await generate({ model, prompt: 'How many?', output, mode: 'native', maxCorrections: 0 });
    expect([told.output, held.output]).toEqual([{ moons: 40_961 }, { moons: 40_961 }]);
  });
});

describe('the tool mode', () => {
  it('tells the schema in words after arguments that were corrected in vain', async () => {
    const wrong = reply.tool('submit_structured_output', { output: { moons: 'two' } });
    await using server = await scriptedModelServer({
      script: [wrong, wrong, reply.tool('submit_structured_output', { output: { moons: 2 } })],
    });
    await generate({ model: compatible(server), prompt: 'How many?', output, mode: 'tool' });
    const told = server.turns.map(({ messages }) => JSON.stringify(messages).includes('of this type'));
    expect(told).toEqual([false, false, true]);
  });

  it('names the tool to a model that called nothing', async () => {
    await using server = await scriptedModelServer({
      script: [reply.text('Two.'), reply.tool('submit_structured_output', { output: { moons: 2 } })],
    });
    await generate({ model: compatible(server), prompt: 'How many?', output, mode: 'tool' });
    expect(server.turns[1]?.messages).toHaveLength(1);
    expect(server.turns[1]?.userText).toContain('submit_structured_output');
  });
});

describe('an answer that is too large', () => {
  it.each([
    ['native' as const, reply.text('{"moons":200}')],
    ['json' as const, reply.text('{"moons":200}')],
    ['tool' as const, reply.tool('submit_structured_output', { output: { moons: 200 } })],
  ])('is refused in the mode %s, and not kept', async (mode, said) => {
    await using server = await scriptedModelServer({ script: () => said });
    const small = Output.object({ schema, maxPayloadBytes: 8 });
    const asking = generate({
      model: compatible(server),
      prompt: 'x',
      output: small,
      mode,
      maxCorrections: 0,
    });
    const error: unknown = await asking.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'too-large', attempts: [{ code: 'too-large' }] });
    expect(error).not.toHaveProperty('receivedText');
  });
});
