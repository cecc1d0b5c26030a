/** Tests of replies that are not an answer as a whole: strict, and with `lenient`. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import type { MessageReply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { GenerateOptions } from './call/generate-options.ts';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';

const output = Output.object({ schema: z.strictObject({ moons: z.number() }) });
const RIGHT = reply.text('{"moons":2}');

/** Asks a model that gives `first`, then the right answer. Returns the requests and the repairs. */
async function ask(
  first: MessageReply,
  options: Partial<GenerateOptions<typeof output>> = {},
): Promise<readonly [number, readonly string[]]> {
  await using server = await scriptedModelServer({ script: [first, RIGHT] });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const asked = { model, prompt: 'How many?', output, mode: 'json', ...options } as const;
  const { output: value, provenance } = await generate(asked);
  expect(value).toEqual({ moons: 2 });
  return [server.requests.length, provenance.repairs.map(({ kind }) => kind)];
}

it.each([
  ['Sure! {"moons":2} Enjoy!', ['found-in-text']],
  ['Sure!\n```json\n{"moons":2}\n```\nEnjoy!', ['found-in-text']],
  ['{"moons":2} or, in other words, {"moons":2}', ['found-in-text']],
  ['I thought of {"moons":"two"}. {"moons":2}', ['found-in-text']],
  ['{"answer":{"moons":2}}', ['found-in-text', 'opened-wrapper']],
  ['{"answer":"{\\"moons\\":2}"}', ['found-in-text', 'opened-wrapper', 'parsed-string']],
  ['{"moons":2,}', ['found-in-text', 'trailing-comma']],
  ["Here: {'moons': 2}", ['found-in-text', 'quotes']],
  ['<think>{"moons":1}</think> It is {"moons":2}.', ['found-in-text']],
])('reads %s leniently, and asks again if answers are strict', async (text, repairs) => {
  expect(await ask(reply.text(text), { lenient: true })).toEqual([1, repairs]);
  expect(await ask(reply.text(text))).toEqual([2, []]);
});

it.each(['{"moons":1} or {"moons":2}', 'Two.', '{"moons":', '{"moons":"2"}', 'Sure! {"moons":2,"moons":3}'])(
  'asks again after %s',
  async (text) => {
    expect(await ask(reply.text(text), { lenient: true })).toEqual([2, []]);
  },
);

it.each(['native', 'json'] as const)('reads a call of a tool that was not offered: %s', async (mode) => {
  const call = reply.tool('answer', { moons: 2 });
  expect(await ask(call, { mode })).toEqual([1, ['answer-in-tool-call']]);
});

it.each(['native', 'json'] as const)('asks again after a call without an answer: %s', async (mode) => {
  expect(await ask(reply.tool('search', { query: 'moons' }), { mode })).toEqual([2, []]);
});

it('finds an answer without its tag', async () => {
  await using server = await scriptedModelServer({ script: () => reply.text('It is {"moons":2}.') });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const tagged = Output.object({ tag: 'result', schema: z.object({ moons: z.number() }) });
  const asked = { model, prompt: 'How many? Answer in <result>.', output: tagged, maxCorrections: 0 };
  await expect(generate(asked)).rejects.toMatchObject({ code: 'tag-not-found' });
  const { provenance } = await generate({ ...asked, lenient: true });
  expect(provenance).toMatchObject({
    mode: 'tag',
    repairs: [{ kind: 'found-in-text' }],
    raw: 'It is {"moons":2}.',
  });
});

it('keeps every digit, and refuses a number that was rounded', async () => {
  const big = Output.object({ schema: z.object({ id: z.number() }) });
  await using server = await scriptedModelServer({
    script: () => reply.text('Id: {"id":12345678901234567890}'),
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const asked = {
    model,
    prompt: 'Which?',
    output: big,
    mode: 'json',
    lenient: true,
    maxCorrections: 0,
  } as const;
  await expect(generate(asked)).rejects.toMatchObject({ code: 'invalid-json' });
});
