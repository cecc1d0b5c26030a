import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import { askForText } from './ask-for-text.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const prompt = 'How many?';
const offline = openAICompatible({ baseURL: 'http://127.0.0.1:1/v1', model: 'm' });

it('sends every setting, for an answer and for text', async () => {
  await using server = await scriptedModelServer({ script: () => reply.text('{"moons":2}') });
  const model = openAICompatible({
    baseURL: server.openaiUrl,
    model: 'scripted',
    headers: { 'x-team': 'blue' },
    body: { chat_template_kwargs: { enable_thinking: false } },
  });
  const settings = {
    temperature: 0.5,
    topP: 0.9,
    seed: 7,
    stopSequences: ['END'],
    maxOutputTokens: 99,
    headers: { 'x-call': 'one' },
    timeouts: { requestMs: 60_000 },
  };
  await generate({ ...settings, model, prompt, output });
  await generate({ ...settings, model, prompt, output, onPartial: () => undefined });
  await askForText({ ...settings, model, prompt });
  expect(server.requests).toHaveLength(3);
  for (const { body, headers } of server.requests) {
    expect(JSON.parse(body)).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop: ['END'],
      max_tokens: 99,
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(headers).toMatchObject({ 'x-team': 'blue', 'x-call': 'one' });
  }
});

it.each([{}, { onPartial: () => undefined }])('ends a request that takes too long, once: %j', async (way) => {
  await using server = await scriptedModelServer({ script: () => reply.delay(60_000, reply.text('{}')) });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const codes: string[] = [];
  const asked = { model, prompt, output, timeouts: { requestMs: 300 }, ...way };
  await expect(generate({ ...asked, onCall: ({ code }) => void codes.push(code) })).rejects.toMatchObject({
    name: 'ModelError',
    code: 'timeout',
  });
  expect(codes).toEqual(['timeout']);
  expect(server.requests).toHaveLength(1);
});

it.each([
  [{ topP: 2 }, /`topP` to be a number from 0 to 1/u],
  [{ seed: 1.5 }, /`seed` to be a whole number/u],
  [{ timeouts: { requestMs: 0 } }, /`timeouts\.requestMs`/u],
  [{ timeouts: { requestMs: 2 ** 31 } }, /`timeouts\.requestMs`/u],
  [{ timeoutMs: 300 }, /got `timeoutMs`\. Write `timeouts: \{ requestMs \}`\./u],
  [{ timeouts: { runMs: 300 } }, /known options of `timeouts`, got `runMs`.*requestMs, idleMs, loadingMs/u],
  [{ timeouts: 300 }, /an object of options for `timeouts`, got `300`/u],
  [{ top_p: 0.9 }, /only known options of `generate\(\)`, got `top_p`. Did you mean `topP`/u],
  [{ prices: { input: 1, output: 2 } }, /`prices.inputUsdPerMillion`/u],
])('refuses %j before any request', async (options, message) => {
  const asked = { model: offline, prompt, output, ...(options as object) };
  await expect(generate(asked)).rejects.toThrow(message);
});
