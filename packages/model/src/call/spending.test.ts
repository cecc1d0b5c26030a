/** Budgets with services that report no tokens. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { bytes, choice, RIGHT, rawServer, type Respond } from '../test-misbehaviour.ts';

const output = Output.object({ schema: z.object({ moons: z.number(), planet: z.string() }) });

function replyOf(content: string, tokens?: number): Respond {
  const usage = { prompt_tokens: tokens, completion_tokens: 1, total_tokens: (tokens ?? 0) + 1 };
  const counts = tokens === undefined ? [] : [{ ...choice({}), choices: [], usage }];
  return bytes(
    [choice({ content }), choice({}, 'stop'), ...counts].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
  );
}

const WRONG = '{"moons":"no","planet":"Mars"}';
const prices = { inputUsdPerMillion: 1, outputUsdPerMillion: 1 };

it.each([
  ['tokens', { budget: { tokens: 50 } }],
  ['usd', { budget: { usd: 1 }, prices }],
])('makes no further attempt if `%s` cannot be counted, and says so', async (_name, limits) => {
  await using server = await rawServer([replyOf(WRONG)]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  const asking = generate({ model, prompt: 'x', output, mode: 'native', maxCorrections: 6, ...limits });
  await expect(asking).rejects.toMatchObject({
    code: 'schema-mismatch',
    message: expect.stringMatching(
      /expected number, received string\. No further attempt was made, because the service reports no tokens and `budget` cannot be counted: set `budget\.attempts` instead\.$/u,
    ),
  });
  expect(server.requests()).toBe(1);
});

it('returns a valid first answer whose tokens are not reported', async () => {
  await using server = await rawServer([replyOf(RIGHT)]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  const { output: value } = await generate({ model, prompt: 'x', output, budget: { tokens: 50 } });
  expect(value).toEqual({ moons: 2, planet: 'Mars' });
});

it('stops at a reply without counts after one with them', async () => {
  await using server = await rawServer([replyOf(WRONG, 5), replyOf(WRONG)]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  const asking = generate({
    model,
    prompt: 'x',
    output,
    mode: 'native',
    maxCorrections: 6,
    budget: { tokens: 50 },
  });
  await expect(asking).rejects.toThrow(/No further attempt was made/u);
  expect(server.requests()).toBe(2);
});

it('counts what is reported, and says how often the answer was refused', async () => {
  await using server = await rawServer([replyOf(WRONG, 35)]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  const asking = generate({
    model,
    prompt: 'x',
    output,
    mode: 'native',
    maxCorrections: 6,
    budget: { tokens: 50 },
  });
  await expect(asking).rejects.toThrow(
    /received string\. Refused 2 times: read `attempts`, and correct the prompt or the schema\.$/u,
  );
  expect(server.requests()).toBe(2);
});

it.each([
  [0, /set `maxCorrections` to ask for a correction\.$/u],
  [2, /Refused 3 times: read `attempts`/u],
])('names `maxCorrections` only if none was used: %d', async (maxCorrections, says) => {
  await using server = await rawServer([replyOf(WRONG)]);
  const model = openAICompatible({ baseURL: server.url, model: 'm' });
  await expect(generate({ model, prompt: 'x', output, mode: 'native', maxCorrections })).rejects.toThrow(
    says,
  );
});
