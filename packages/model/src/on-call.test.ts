import { expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { Output } from '@truecast/core/internal/output/output';
import { scriptedModelServer } from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { GenerateCall } from './call/generate-options.ts';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const usage = { inputTokens: 10, outputTokens: 5 };

it('is called for every request, including failed ones, before the answer is used', async () => {
  await using server = await scriptedModelServer({
    script: [
      reply.error(400, { message: 'response_format json_schema is not supported' }),
      reply.error(400, { message: 'tools are not supported' }),
      reply.error(503, { retryAfterSeconds: 0 }),
      reply.text('Two.', { usage }),
      reply.error(429, { retryAfterSeconds: 0 }),
      reply.text('{"moons":2}', { usage }),
    ],
  });
  const calls: GenerateCall[] = [];
  await generate({
    model: openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' }),
    prompt: 'How many?',
    output,
    prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2 },
    onCall: (call) => {
      expect(server.requests).toHaveLength(calls.push(call));
    },
  });
  expect(calls.map(({ code }) => code)).toEqual([
    'unsupported',
    'unsupported',
    'unsupported',
    'http',
    'invalid-json',
    'rate-limit',
    'ok',
  ]);
  expect(calls.map((call) => call.usage?.inputTokens)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    10,
    undefined,
    10,
  ]);
  expect(calls[4]?.usage?.costUsd).toBeCloseTo(2e-5, 12);
  expect(calls.every(({ model, durationMs }) => model === 'scripted' && durationMs >= 0)).toBe(true);
});

it('ends the call with what it throws, after an answer or a failure', async () => {
  await using server = await scriptedModelServer({
    script: [reply.text('{"moons":2}'), reply.error(503, { retryAfterSeconds: 0 })],
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const spent = new UsageError('The budget of this run is spent. Raise it.');
  const onCall = (): Promise<never> => Promise.reject(spent);
  const asked = { model, prompt: 'How many?', output, onCall };
  await expect(generate(asked)).rejects.toBe(spent);
  await expect(generate(asked)).rejects.toBe(spent);
  expect(server.requests).toHaveLength(2);
});

it('is called for a request that the caller aborted', async () => {
  await using server = await scriptedModelServer({ script: [reply.delay(60_000, reply.text('{}'))] });
  const controller = new AbortController();
  const codes: string[] = [];
  const asking = generate({
    model: openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' }),
    prompt: 'How many?',
    output,
    signal: controller.signal,
    onCall: ({ code }) => void codes.push(code),
  });
  while (server.turns.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort(new RangeError('enough'));
  await expect(asking).rejects.toThrow('enough');
  expect(codes).toEqual(['aborted']);
});

it('keeps the last text on the error, including a call that failed later or ended early', async () => {
  await using server = await scriptedModelServer({
    chunkChars: 4,
    script: [
      reply.text('I say two.'),
      reply.text('I say two.'),
      reply.error(400, { message: 'no' }),
      ...[1, 2, 3].map(() => reply.cut({ afterChunks: 4 }, reply.text('{"moons": 2, "note": "a"}'))),
    ],
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const asked = { model, prompt: 'How many?', output };
  await expect(generate({ ...asked, mode: 'tool', maxCorrections: 0 })).rejects.toMatchObject({
    code: 'not-produced',
    receivedText: 'I say two.',
  });
  await expect(generate({ ...asked, mode: 'json', maxCorrections: 1 })).rejects.toMatchObject({
    name: 'ModelError',
    receivedText: 'I say two.',
  });
  await expect(generate({ ...asked, onPartial: () => undefined })).rejects.toMatchObject({
    code: 'stream',
    receivedText: expect.stringMatching(/^\{"moo/u),
  });
});

it('keeps the text of an earlier call on the error if the last one ended without text', async () => {
  await using server = await scriptedModelServer({
    chunkChars: 4,
    script: [
      reply.text('I say two.'),
      ...[1, 2, 3].map(() => reply.cut({ afterChunks: 1 }, reply.text('{"moons": 2}'))),
    ],
  });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  const asking = generate({ model, prompt: 'How many?', output, mode: 'json', onPartial: () => undefined });
  await expect(asking).rejects.toMatchObject({ code: 'stream', receivedText: 'I say two.' });
});
