/** Tests of `instructions` of `generate()` over the wire of each provider. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import { MODELS } from '../test-models.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });

it.each(Object.entries(MODELS))(
  '%s gets them as its system prompt, at each attempt',
  async (_, makeModel) => {
    await using server = await scriptedModelServer({
      script: [reply.text('{"moons":"two"}'), reply.text('{"moons":2}')],
    });
    const asked = { model: makeModel(server), instructions: 'Count only known moons.', output };
    expect((await generate({ ...asked, prompt: 'Mars?' })).output).toEqual({ moons: 2 });
    expect(server.turns.map(({ system }) => system)).toEqual([
      expect.stringMatching(/^Count only known moons\./u),
      expect.stringMatching(/^Count only known moons\./u),
    ]);
    expect(server.turns[0]?.userText).toMatch(/^Mars\?/u);
  },
);

it('stand before the system messages of a conversation', async () => {
  await using server = await scriptedModelServer({ script: () => reply.text('{"moons":2}') });
  const [makeModel] = Object.values(MODELS);
  await generate({
    model: makeModel!(server),
    instructions: 'First.',
    messages: [
      { role: 'system', content: 'Second.' },
      { role: 'user', content: 'Mars?' },
    ],
    output,
  });
  expect(server.turns[0]?.system.replaceAll('\n', '')).toMatch(/^First\.Second\./u);
});

it.each<[title: string, options: object, told: RegExp]>([
  ['no text', { instructions: 7 }, /`instructions` to be a non-empty string, got `7`/u],
  ['an empty text', { instructions: ' ' }, /`instructions` to be a non-empty string/u],
  ['the older name', { system: 'Be short.' }, /got `system`\. Write `instructions`\./u],
  ['a mistyped name', { instruction: 'Be short.' }, /Did you mean `instructions`\?/u],
])('are refused before any request if they are %s', async (_, options, told) => {
  await using server = await scriptedModelServer({ script: () => reply.text('{"moons":2}') });
  const [makeModel] = Object.values(MODELS);
  const refused = generate({ model: makeModel!(server), prompt: 'Mars?', output, ...options });
  await expect(refused).rejects.toThrow(told);
  await expect(refused).rejects.toSatisfy(UsageError.isInstance);
  expect(server.turns).toEqual([]);
});
