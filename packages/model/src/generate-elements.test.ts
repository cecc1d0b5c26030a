import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { itWhole } from '../../../test/matrix.ts';
import type { ModelScript } from '../../testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../testing/src/scripted-model/turn/scripted-turn.ts';
import type { GenerateMode } from './call/generate-options.ts';
import { generate } from './generate.ts';
import { MODELS } from './test-models.ts';

const prompt = 'Name the moons.';

interface Counted {
  readonly element: z.ZodType<{ id: number; note?: string | undefined; key: symbol }>;
  readonly seen: unknown[];
}

/** An element whose schema counts its validations, and returns a new key at each. */
function countedElement(): Counted {
  const seen: unknown[] = [];
  const element = z.object({ id: z.number(), note: z.string().optional() }).transform((value) => {
    seen.push(value);
    return { ...value, key: Symbol('validated') };
  });
  return { element, seen };
}

/** Writes a list in the form that the request asks for. */
function listOf(items: readonly object[], turn: ScriptedTurn, mode: GenerateMode): ScriptedReply {
  const schema = JSON.stringify(turn.body);
  const needsNull = mode === 'native' && schema.includes('null');
  const written = needsNull ? items.map((item) => ({ note: null, ...item })) : items;
  if (mode === 'tool') return reply.tool('submit_structured_output', { output: written as never });
  if (mode === 'tag') return reply.text(`Well: <moons>${JSON.stringify(written)}</moons>`);
  const isWrapped = mode === 'native' && schema.includes('"output"');
  return reply.text(JSON.stringify(isWrapped ? { output: written } : written));
}

function start(script: ModelScript, chunkChars = 7): Promise<ScriptedModelServer> {
  return scriptedModelServer({ script, chunkChars });
}

async function collect<TElement>(elements: AsyncIterable<TElement>): Promise<TElement[]> {
  const seen: TElement[] = [];
  for await (const element of elements) seen.push(element);
  return seen;
}

const MODES: readonly GenerateMode[] = ['native', 'tool', 'json', 'tag'];
const items = [{ id: 1 }, { id: 2, note: 'small' }, { id: 3 }];

describe.each(Object.entries(MODELS))('with the provider of %s', (name, makeModel) => {
  const itOfOne = name === 'openai compatible' ? it : itWhole;

  it.each(MODES)('gives each element once, validated once, with the mode %s', async (mode) => {
    await using server = await start((turn) => listOf(items, turn, mode));
    const { element, seen } = countedElement();
    const output = Output.array({ element, ...(mode === 'tag' && { tag: 'moons' }) });
    const answer = generate({ model: makeModel(server), prompt, output, mode });
    const elements = await collect(answer.elements);
    const result = await answer;
    expect(elements.map(({ id, note }) => ({ id, ...(note !== undefined && { note }) }))).toEqual(items);
    expect(seen).toHaveLength(items.length);
    for (const [index, each] of result.output.entries()) expect(each).toBe(elements[index]);
  });

  it.each(['native', 'tool', 'json'] as const)(
    'ends the reply at an invalid element, and continues with the correction, with the mode %s',
    async (mode) => {
      const wrong = [{ id: 1 }, { id: 'two' }, ...Array.from({ length: 400 }, (_, id) => ({ id }))];
      await using server = await start((turn) =>
        listOf(server.turns.length === 1 ? wrong : items, turn, mode),
      );
      const { element, seen } = countedElement();
      const codes: string[] = [];
      const answer = generate({
        model: makeModel(server),
        prompt,
        output: Output.array({ element }),
        mode,
        onCall: ({ code, usage }) => void codes.push(usage === undefined ? `${code} unread` : code),
      });
      const elements = await collect(answer.elements);
      expect(elements.map(({ id }) => id)).toEqual([1, 2, 3]);
      expect(codes).toEqual(['schema-mismatch unread', 'ok']);
      // The first element of the correction equals the given one.
      expect(seen).toHaveLength(3);
      const asked = JSON.stringify(server.turns[1]?.body);
      expect(asked).toContain('[1].id');
      // The model gets its text up to there.
      expect(asked).toContain('two');
      // The service of Gemini sends the arguments of a call in one piece.
      if (name !== 'google' || mode !== 'tool') expect(asked).not.toContain('399');
      const { provenance } = await answer;
      expect(provenance.attempts.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
    },
  );

  // The reader of the elements is the same for all providers.
  itOfOne('validates 2,000 elements 2,000 times', async () => {
    const many = Array.from({ length: 2_000 }, (_, id) => ({ id }));
    await using server = await start((turn) => listOf(many, turn, 'native'), 64);
    const { element, seen } = countedElement();
    const answer = generate({ model: makeModel(server), prompt, output: Output.array({ element }) });
    let before = 0;
    let count = 0;
    void answer.then(() => (before = count));
    for await (const { id } of answer.elements) expect(id).toBe(count++);
    expect(count).toBe(2_000);
    expect(seen).toHaveLength(2_000);
    expect(before).toBeGreaterThan(1_750);
  });
});

const compatible = MODELS['openai compatible'];
if (compatible === undefined) expect.unreachable('there is such a model');
const numbers = Output.array({ element: z.number() });

/** Reads until the loop ends or throws. */
async function readAll<TElement>(
  elements: AsyncIterable<TElement>,
): Promise<{ readonly seen: TElement[]; readonly error: unknown }> {
  const seen: TElement[] = [];
  try {
    for await (const element of elements) seen.push(element);
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

const texts = (...each: readonly string[]): ScriptedReply[] => each.map((text) => reply.text(text));

it('throws `restarted` if a correction changes a given element, and the promise resolves', async () => {
  await using server = await start(texts('[1,2,"x",4]', '[1,9,3]'));
  const answer = generate({ model: compatible(server), prompt, output: numbers, mode: 'json' });
  const { seen, error } = await readAll(answer.elements);
  expect(seen).toEqual([1, 2]);
  expect(error).toMatchObject({ name: 'StructuredOutputError', code: 'restarted' });
  expect(String(error)).toContain('[1]');
  expect((await answer).output).toEqual([1, 9, 3]);
});

it('throws `restarted` if a correction is shorter', async () => {
  await using server = await start(texts('[1,2,3,"x",5]', '[1,2]'));
  const answer = generate({ model: compatible(server), prompt, output: numbers, mode: 'json' });
  const { seen, error } = await readAll(answer.elements);
  expect([seen, (error as { code?: string }).code]).toEqual([[1, 2, 3], 'restarted']);
  expect((await answer).output).toEqual([1, 2]);
});

it('begins again with a match that replaces an earlier one, and reads such a reply to its end', async () => {
  const text = 'Like <moons>[1,2,"x",3]</moons>? No: <moons>[1,2,3,4]</moons>';
  await using server = await start(texts(text), 1);
  const tagged = Output.array({ tag: 'moons', element: z.number() });
  const answer = generate({ model: compatible(server), prompt, output: tagged });
  expect(await collect(answer.elements)).toEqual([1, 2, 3, 4]);
  expect(server.turns).toHaveLength(1);
});

it('does not repeat elements after a stream that broke', async () => {
  const list = reply.text('[1,2,3,4,5,6,7,8]');
  await using server = await start([reply.cut({ afterChunks: 10 }, list), list], 1);
  const answer = generate({ model: compatible(server), prompt, output: numbers, mode: 'json' });
  expect(await collect(answer.elements)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(server.turns).toHaveLength(2);
});

const many = Array.from({ length: 200 }, (_, index) => index + 1);
const long = JSON.stringify(many);

it.each([
  ['of a correction', 'json', () => texts('[1,2,"x",4]', long)],
  [
    'of a stream after one that broke',
    'json',
    () => [reply.cut({ afterChunks: 9 }, reply.text(long)), reply.text(long)],
  ],
  ['of a second match', 'tag', () => texts(`<moons>[1,2,"x",4]</moons> No: <moons>${long}</moons>`)],
] as const)('gives the elements %s while they are written', async (_title, mode, script) => {
  await using server = await start(script(), 2);
  const output = Output.array({ element: z.number(), ...(mode === 'tag' && { tag: 'moons' }) });
  const answer = generate({ model: compatible(server), prompt, output, mode });
  const seen: number[] = [];
  let early = 0;
  void answer.then(() => (early = seen.length));
  for await (const element of answer.elements) seen.push(element);
  expect(seen).toEqual(many);
  expect(early).toBeGreaterThan(150);
});

it('throws `restarted` as soon as it is known', async () => {
  await using server = await start(texts('[1,2,"x",4]', `[1,9,${long.slice(1)}`), 2);
  const answer = generate({ model: compatible(server), prompt, output: numbers, mode: 'json' });
  let isSettled = false;
  void answer.then(() => (isSettled = true));
  expect((await readAll(answer.elements)).error).toMatchObject({ code: 'restarted' });
  expect(isSettled).toBe(false);
  expect((await answer).output).toHaveLength(202);
});

it('gives values that the caller can change', async () => {
  await using server = await start(texts('[{"id":1},{"id":2},{"id":"x"},{"id":4}]', '[{"id":1},{"id":2}]'));
  // Returns the value as it got it.
  const element = z.any().refine((value: { id: unknown }) => typeof value.id === 'number');
  const answer = generate({
    model: compatible(server),
    prompt,
    output: Output.array({ element }),
    mode: 'json',
  });
  for await (const each of answer.elements) (each as { id: number }).id += 100;
  expect((await answer).output).toEqual([{ id: 101 }, { id: 102 }]);
});

it('ends with the error of the promise when no correction is left', async () => {
  await using server = await start(texts('[1,2,"x",4]'));
  const answer = generate({
    model: compatible(server),
    prompt,
    output: numbers,
    mode: 'json',
    maxCorrections: 0,
  });
  const { seen, error } = await readAll(answer.elements);
  expect(seen).toEqual([1, 2]);
  expect(error).toMatchObject({ code: 'schema-mismatch', issues: [{ path: [2] }] });
  await expect(answer).rejects.toBe(error);
});

it.each([
  ['a budget that counts tokens', { budget: { tokens: 100_000 } }],
  ['a lenient reader', { lenient: true }],
])('reads the reply to its end with %s', async (_title, given) => {
  await using server = await start(texts('[1,2,"x",4]', '[1,2,3]'));
  const usages: unknown[] = [];
  const answer = generate({
    model: compatible(server),
    prompt,
    output: numbers,
    mode: 'json',
    ...given,
    onCall: ({ usage }) => void usages.push(usage),
  });
  expect(await collect(answer.elements)).toEqual([1, 2, 3]);
  expect(usages).toHaveLength(2);
  expect(usages).not.toContain(undefined);
});

it.each([
  ['a number that a double rounds', '[1,9007199254740993,3]', '[1,2,3]'],
  ['a key that could reach a prototype', '[1,{"__proto__":1},3]', '[1,2,3]'],
  ['deep nesting', `[1,${'['.repeat(600)}${']'.repeat(600)},3]`, 'not asked for'],
])('leaves an element with %s to the judge of the answer', async (_title, first, second) => {
  await using server = await start(texts(first, second));
  const output = Output.array({ element: z.unknown() });
  const answer = generate({ model: compatible(server), prompt, output, mode: 'json' });
  const elements = await collect(answer.elements);
  expect(elements).toHaveLength(3);
  for (const [index, each] of (await answer).output.entries()) expect(each).toBe(elements[index]);
});

it('waits for a schema that is asynchronous, and ends with its exception', async () => {
  const later = z.number().refine(
    (value) =>
      new Promise<boolean>((resolve) => {
        setImmediate(() => resolve(value < 10));
      }),
  );
  await using server = await start(texts('[1,2,30,4]', '[1,2,3,4]', '[1,2,3]'));
  const model = compatible(server);
  const waiting = generate({ model, prompt, output: Output.array({ element: later }), mode: 'json' });
  expect(await collect(waiting.elements)).toEqual([1, 2, 3, 4]);
  expect(server.turns).toHaveLength(2);
  const broken = z.number().refine((value) => {
    if (value === 2) throw new RangeError('two');
    return true;
  });
  const answer = generate({ model, prompt, output: Output.array({ element: broken }), mode: 'json' });
  const { seen, error } = await readAll(answer.elements);
  expect([seen, (error as { code?: string }).code]).toEqual([[1], 'validator-error']);
  await expect(answer).rejects.toMatchObject({ code: 'validator-error' });
});

it('gives a slow reader every element, and all of them to a loop that begins late', async () => {
  await using server = await start(() => reply.text('[1,2,3,4,5]'), 1);
  const model = compatible(server);
  const answer = generate({ model, prompt, output: numbers, mode: 'json' });
  const seen: number[] = [];
  for await (const element of answer.elements) {
    await answer;
    seen.push(element);
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  const done = generate({ model, prompt, output: numbers, mode: 'json' });
  await done;
  expect(await collect(done.elements)).toEqual([1, 2, 3, 4, 5]);
});

it('gives partial values and elements of one call', async () => {
  await using server = await start(() => reply.text('[1,2,3]'), 1);
  const answer = generate({ model: compatible(server), prompt, output: numbers, mode: 'json' });
  const partials: unknown[] = [];
  const reading = (async () => {
    for await (const { value } of answer) partials.push(value);
  })();
  expect(await collect(answer.elements)).toEqual([1, 2, 3]);
  await reading;
  expect(partials.at(-1)).toEqual([1, 2, 3]);
});

it('aborts the call when the loop is left, without an unhandled rejection', async () => {
  await using server = await start(() => reply.text('[1,2,3,4,5,6,7,8]', { chunkDelayMs: 5 }), 1);
  const unhandled: unknown[] = [];
  const note = (reason: unknown): unknown => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    const answer = generate({ model: compatible(server), prompt, output: numbers, mode: 'json' });
    for await (const _element of answer.elements) break;
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    const other = generate({ model: compatible(server), prompt, output: numbers, mode: 'json' });
    for await (const _element of other.elements) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

it('refuses another output, and tools', async () => {
  await using server = await start(() => reply.text('{"list":[1]}'));
  const model = compatible(server);
  const output = Output.object({ schema: z.object({ list: z.array(z.number()) }) });
  const answer = generate({ model, prompt, output });
  expect((await readAll(answer.elements)).error).toMatchObject({ name: 'UsageError', code: 'unsupported' });
  expect((await answer).output).toEqual({ list: [1] });
  const tools = { look: { inputSchema: z.object({}), execute: () => 1 } };
  const working = generate({ model, prompt, output: numbers, tools });
  const { error } = await readAll(working.elements);
  expect(error).toMatchObject({ name: 'UsageError', code: 'unsupported' });
  await expect(working).rejects.toBe(error);
});
