import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { Output } from '@truecast/core/internal/output/output';
import { itWhole } from '../../../test/matrix.ts';
import type { ModelScript } from '../../testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { GenerateMode } from './call/generate-options.ts';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';
import { MODELS } from './test-models.ts';

const prompt = 'Name the moons of Mars.';
const schema = z.object({ moons: z.array(z.string()), note: z.string() });
const answer = { moons: ['Phobos', 'Deimos'], note: 'Both are small.' };
const output = Output.object({ schema });
const text = JSON.stringify(answer);

function start(script: ModelScript): Promise<ScriptedModelServer> {
  return scriptedModelServer({ script, chunkChars: 5 });
}

const MODES: readonly GenerateMode[] = ['native', 'tool', 'json', 'tag'];

describe.each(Object.entries(MODELS))('with the provider of %s', (name, makeModel) => {
  const itOfOne = name === 'openai compatible' ? it : itWhole;

  it.each(MODES)('streams the answer, with the mode %s', async (mode) => {
    await using server = await start(() =>
      mode === 'tool'
        ? reply.tool('submit_structured_output', { output: answer })
        : reply.text(mode === 'tag' ? `Well: <result>${text}</result>` : text),
    );
    const asked = mode === 'tag' ? Output.object({ tag: 'result', schema }) : output;
    const seen: string[] = [];
    const result = await generate({
      model: makeModel(server),
      prompt,
      output: asked,
      mode,
      onPartial: ({ value }) => seen.push(JSON.stringify(value)),
    });
    expect(result.output).toEqual(answer);
    expect(result.provenance.mode).toBe(mode);
    expect(result.usage?.outputTokens).toBeGreaterThan(0);
    expect(seen.at(-1)).toBe(text);
    const lengths = seen.map((partial) => partial.length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
  });

  it.each(['native', 'tool', 'json'] as const)(
    'shows a list as a list only, with the mode %s',
    async (mode) => {
      const list = { output: ['Phobos', 'Deimos'] };
      await using server = await scriptedModelServer({
        chunkChars: 1,
        script: ({ body }) => {
          if (mode === 'tool') return reply.tool('submit_structured_output', list);
          return reply.text(JSON.stringify(JSON.stringify(body).includes('"output"') ? list : list.output));
        },
      });
      const seen: unknown[] = [];
      const listed = Output.array({ element: z.string() });
      const onPartial = ({ value }: { value: unknown }): unknown => seen.push(structuredClone(value));
      const result = await generate({ model: makeModel(server), prompt, output: listed, mode, onPartial });
      expect(result.output).toEqual(list.output);
      expect(seen.at(-1)).toEqual(list.output);
      expect(seen.filter((value) => !Array.isArray(value))).toEqual([]);
    },
  );

  // The reader of the pieces is the same for all providers.
  itOfOne('copies a long answer for its reader a few times, not at each piece', async () => {
    const elements = Array.from({ length: 3_000 }, (_, id) => ({ id }));
    const list = JSON.stringify({ output: elements });
    await using server = await scriptedModelServer({ chunkChars: 16, script: () => reply.text(list) });
    const pieces = list.length / 16;
    let copied = 0;
    const listed = Output.array({ element: z.object({ id: z.number() }) });
    const onPartial = ({ value }: { value: unknown }): unknown =>
      (copied += Array.isArray(value) ? value.length : 0);
    await generate({ model: makeModel(server), prompt, output: listed, onPartial });
    // At each piece, half of the elements on average.
    expect((pieces * elements.length) / 2).toBeGreaterThan(1_000 * elements.length);
    expect(copied).toBeLessThan(100 * elements.length);
  });

  it('retries after a stream that stops, and does not count it as an attempt', async () => {
    await using server = await start([reply.cut({ afterChunks: 4 }, reply.text(text)), reply.text(text)]);
    const asked = generate({ model: makeModel(server), prompt, output, maxCorrections: 0 });
    for await (const _partial of asked);
    const result = await asked;
    expect(result.output).toEqual(answer);
    expect(result.provenance.attempts).toHaveLength(1);
    expect(server.turns).toHaveLength(2);
  });

  it('asks a model that called no tool to call it', async () => {
    await using server = await start([
      reply.text('There are two.'),
      reply.tool('submit_structured_output', { output: answer }),
    ]);
    const asked = generate({ model: makeModel(server), prompt, output, mode: 'tool' });
    for await (const _partial of asked);
    const { provenance, usage } = await asked;
    expect(provenance.attempts.map(({ code }) => code)).toEqual(['not-produced', 'ok']);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });
});

const compatible = MODELS['openai compatible'];
if (compatible === undefined) expect.unreachable('there is such a model');

/** Reads all previews. */
async function read(answer: AsyncIterable<unknown>): Promise<void> {
  for await (const _partial of answer);
}

it('passes on partial values, and starts a new draft with each attempt', async () => {
  await using server = await start([reply.text('{"moons":["Phobos"]}'), reply.text(text)]);
  const asked = generate({ model: compatible(server), prompt, output });
  const drafts = new Set<number>();
  let last: unknown;
  for await (const { value, draft } of asked) {
    drafts.add(draft);
    last = value;
  }
  expect(last).toEqual(answer);
  expect([...drafts].at(-1)).toBe(2);
  expect((await asked).output).toEqual(answer);
});

it('ends both with the error', async () => {
  await using server = await start(() => reply.text('no'));
  const asked = generate({ model: compatible(server), prompt, output, maxCorrections: 0 });
  await expect(read(asked)).rejects.toMatchObject({ code: 'invalid-json' });
  await expect(asked).rejects.toMatchObject({ code: 'invalid-json' });
});

it('ends with a ModelError when every stream stops', async () => {
  await using server = await start(() => reply.cut({ afterChunks: 3 }, reply.text(text)));
  const asked = generate({ model: compatible(server), prompt, output });
  await expect(read(asked)).rejects.toMatchObject({ name: 'ModelError', code: 'stream' });
  expect(server.turns).toHaveLength(3);
});

it('shows a choice only once it is one', async () => {
  await using server = await start(() => reply.text('{"output":"maybe"}'));
  const seen: unknown[] = [];
  const choice = Output.choice({ options: ['may', 'maybe'] });
  await generate({
    model: compatible(server),
    prompt,
    output: choice,
    onPartial: ({ value }) => seen.push(value),
  });
  expect(seen.at(-1)).toBe('maybe');
});

describe('a promise of an answer', () => {
  it('asks for a stream only if something reads the answer so far', async () => {
    const chat = MODELS['openai chat'] ?? expect.unreachable('there is such a model');
    await using server = await start(() => reply.text(text));
    const streams = (): unknown[] =>
      server.turns.map(({ body }) => (body as { stream?: unknown }).stream ?? false);
    expect((await generate({ model: chat(server), prompt, output })).output).toEqual(answer);
    expect(streams()).toEqual([false]);
    await read(generate({ model: chat(server), prompt, output }));
    expect(streams()).toEqual([false, true]);
  });

  it('gives the previews to the loop and to `onPartial`', async () => {
    await using server = await start(() => reply.text(text));
    const seen: unknown[] = [];
    const onPartial = ({ value }: { value: unknown }): unknown => seen.push(structuredClone(value));
    const asked = generate({ model: compatible(server), prompt, output, onPartial });
    let last: unknown;
    for await (const { value } of asked) last = value;
    expect([seen.at(-1), last]).toEqual([answer, answer]);
  });

  it('aborts the call when the loop is left, without an unhandled rejection', async () => {
    await using server = await start(() => reply.text(text));
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const asked = generate({ model: compatible(server), prompt, output });
      for await (const _partial of asked) break;
      await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
      for await (const _partial of generate({ model: compatible(server), prompt, output })) break;
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('keeps the own signal of its caller', async () => {
    await using server = await start(() => reply.text(text));
    const controller = new AbortController();
    const reason = new Error('enough');
    const { signal } = controller;
    const asked = generate({ model: compatible(server), prompt, output, signal });
    const reading = async (): Promise<void> => {
      for await (const _partial of asked) controller.abort(reason);
    };
    await expect(reading()).rejects.toBe(reason);
  });

  it.each([
    ['no options', undefined],
    ['a signal that is none', { signal: 'now' }],
    ['a callback that is none', { onPartial: 5 }],
  ])('refuses %s in the loop and in the promise', async (_title, wrong) => {
    const model = openAICompatible({ baseURL: 'http://127.0.0.1:9/v1', model: 'm' });
    const options = wrong === undefined ? wrong : { model, prompt, output, ...wrong };
    const asked = generate(options as unknown as Parameters<typeof generate>[0]);
    await expect(read(asked)).rejects.toBeInstanceOf(UsageError);
    await expect(asked).rejects.toBeInstanceOf(UsageError);
  });
});
