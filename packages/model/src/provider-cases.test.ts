import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { matrixColumns } from '../../../test/matrix.ts';
import type { ModelScript } from '../../testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { GenerateModel, GenerateMode } from './call/generate-options.ts';
import { generate } from './generate.ts';
import { MODELS } from './test-models.ts';

const moons = 2;
const output = Output.object({ schema: z.object({ moons: z.number() }) });
const prompt = 'How many moons has Mars?';
const right = JSON.stringify({ moons });
const usage = { inputTokens: 7, outputTokens: 3 };

/** One behaviour of a service, and its result by each mode, with and without a stream. */
interface Case {
  readonly title: string;
  readonly script: ModelScript;
  readonly mode?: GenerateMode;
  readonly maxCorrections?: number;
  readonly calls: readonly string[];
  /** Calls of a server of unknown make, which is asked in more forms. @default `calls` */
  readonly unknownCalls?: readonly string[];
  readonly error?: Readonly<Record<string, unknown>>;
}

const submit = (value: number | string): ReturnType<typeof reply.tool> =>
  reply.tool('submit_structured_output', { output: { moons: value } }, { usage });
const notSupported = (name: string): ReturnType<typeof reply.error> =>
  reply.error(400, { message: `This model does not support ${name}.` });

const CASES: readonly Case[] = [
  {
    title: 'goes down to a tool where the schema is not supported',
    script: [notSupported('response_format of type json_schema'), submit(moons)],
    calls: ['unsupported', 'ok'],
    unknownCalls: ['unsupported', 'unsupported', 'ok'],
  },
  {
    title: 'goes down to the prompt where tools are not supported either',
    script: [notSupported('structured output'), notSupported('function tools'), reply.text(right, { usage })],
    calls: ['unsupported', 'unsupported', 'ok'],
  },
  {
    title: 'takes no answer out of a refusal',
    script: () => reply.text('I cannot help with that.', { finishReason: 'refusal', usage }),
    maxCorrections: 1,
    calls: ['not-produced', 'not-produced'],
    error: {
      code: 'not-produced',
      receivedText: 'I cannot help with that.',
      usage: { inputTokens: 14, outputTokens: 6 },
    },
  },
  {
    title: 'takes no answer out of a refusal where a tool was asked for',
    script: () => reply.text('I cannot help with that.', { finishReason: 'refusal', usage }),
    mode: 'tool',
    maxCorrections: 0,
    calls: ['not-produced'],
    error: { code: 'not-produced', receivedText: 'I cannot help with that.', usage },
  },
  {
    title: 'reports that a reply was cut at the token limit',
    script: () => reply.text('{"moons":', { finishReason: 'length', usage }),
    maxCorrections: 0,
    calls: ['truncated'],
    error: { code: 'truncated', receivedText: '{"moons":', usage },
  },
  {
    title: 'takes the right one after two wrong ones, by the schema',
    script: [reply.text('Two.'), reply.text('{"moons":"two"}'), reply.text(right)],
    mode: 'native',
    calls: ['invalid-json', 'schema-mismatch', 'ok'],
  },
  {
    title: 'takes the right one after two wrong ones, by a tool',
    script: [reply.text('Two.'), submit('two'), submit(moons)],
    mode: 'tool',
    calls: ['not-produced', 'schema-mismatch', 'ok'],
  },
  {
    title: 'takes the right one after two wrong ones, by the prompt',
    script: [reply.text('Two.'), reply.text('{"moons":"two"}'), reply.text(`\`\`\`json\n${right}\n\`\`\``)],
    mode: 'json',
    calls: ['invalid-json', 'schema-mismatch', 'ok'],
  },
  {
    title: 'takes nothing embedded in prose for the reply',
    script: () => reply.text(`Here it is: ${right}`),
    mode: 'json',
    maxCorrections: 0,
    calls: ['invalid-json'],
    error: { code: 'invalid-json' },
  },
  {
    title: 'asks later when the service says so',
    script: [reply.error(429, { retryAfterSeconds: 0 }), reply.text(right)],
    maxCorrections: 0,
    calls: ['rate-limit', 'ok'],
  },
  {
    title: 'gives up on a service that stays busy',
    script: () => reply.error(429, { retryAfterSeconds: 0 }),
    calls: ['rate-limit', 'rate-limit', 'rate-limit'],
    error: { name: 'ModelError', code: 'rate-limit', statusCode: 429, attempts: [] },
  },
  {
    title: 'asks again after a connection that broke off',
    script: [reply.cut({ afterChunks: 2 }, reply.text(right)), reply.text(right)],
    maxCorrections: 0,
    calls: ['stream', 'ok'],
  },
  {
    title: 'says what a service says that will have none of it',
    script: () => reply.error(403, { message: 'Your account is closed.' }),
    calls: ['http'],
    error: { code: 'http', statusCode: 403, message: expect.stringContaining('Your account is closed.') },
  },
];

async function codesOf(
  model: GenerateModel,
  { mode, maxCorrections, error }: Case,
  isStreaming: boolean,
): Promise<string[]> {
  const codes: string[] = [];
  const asking = generate({
    model,
    prompt,
    output,
    ...(mode !== undefined && { mode }),
    ...(maxCorrections !== undefined && { maxCorrections }),
    ...(isStreaming && { onPartial: () => undefined }),
    onCall: ({ code }) => void codes.push(code),
  });
  if (error === undefined) expect((await asking).output).toEqual({ moons });
  else await expect(asking).rejects.toMatchObject(error);
  return codes;
}

describe.each(Object.entries(MODELS))('with the provider of %s', (name, makeModel) => {
  describe.each([
    ['in a stream', true],
    ['at once', false],
  ])('%s', (_way, isStreaming) => {
    // The short form tries each case with each provider in one of the two ways.
    const row = Object.keys(MODELS).indexOf(name) + Number(isStreaming);
    const cases = matrixColumns(row, CASES, { rows: 2 * Object.keys(MODELS).length, stride: 2 });
    it.each(cases)('$title', async (one) => {
      await using server: ScriptedModelServer = await scriptedModelServer({ script: one.script });
      expect(await codesOf(makeModel(server), one, isStreaming)).toEqual(
        (name === 'openai compatible' ? one.unknownCalls : undefined) ?? one.calls,
      );
    });
  });
});
