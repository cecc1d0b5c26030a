import * as v from 'valibot';
import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../errors/usage-error.ts';
import { jsonSchema } from '../schema/json-schema.ts';
import { extractOutput, safeExtractOutput } from './extract-output.ts';
import { Output, toOutputDefinition } from './output.ts';

const schema = z.object({ a: z.number() });

/** Calls like untyped JavaScript. */
const call = (helper: 'object' | 'string' | 'array' | 'choice' | 'json', options: unknown): unknown =>
  Reflect.apply(Output[helper], undefined, [options]);

const messageOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (UsageError.isInstance(error) && error.code === 'invalid-definition') return error.message;
    throw error;
  }
  throw new TypeError('Expected a refusal.');
};

describe('Output', () => {
  it('creates branded definitions that keep their options', () => {
    expect(Output.object({ tag: 'result', schema, maxCorrections: 2 })).toMatchObject({
      _tag: 'object',
      tag: 'result',
      schema,
      maxCorrections: 2,
    });
    expect(Output.string({ tag: 'summary' })).toMatchObject({ _tag: 'string', tag: 'summary' });
    expect(Output.array({ element: schema, mode: 'native' })).toMatchObject({
      _tag: 'array',
      element: schema,
    });
    expect(Output.choice({ options: ['a'] })).toMatchObject({ _tag: 'choice', options: ['a'] });
    expect(Output.json({ retry: 'fresh' })).toMatchObject({ _tag: 'json', retry: 'fresh' });
  });

  it('accepts the schemas of any library', async () => {
    const said = '<r>{"a":1}</r>';
    for (const anySchema of [
      schema,
      v.object({ a: v.number() }),
      type({ a: 'number' }),
      jsonSchema({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }),
    ]) {
      expect(await extractOutput(said, Output.object({ tag: 'r', schema: anySchema }))).toEqual({ a: 1 });
    }
  });

  it.each([
    [{ tag: '1st' }, 'Expected `tag` to match [A-Za-z_][A-Za-z0-9_.-]*, got `"1st"` (string)'],
    [{ tag: '' }, 'Expected `tag` to match'],
    [{ tag: 'a b' }, 'Expected `tag` to match'],
    [{ tag: 'a>' }, 'Expected `tag` to match'],
    [{ tag: 'a\n' }, 'Expected `tag` to match'],
    [{ tag: 7 }, 'got `7` (number)'],
    [{ maxCorrections: -1 }, 'Expected `maxCorrections` to be a non-negative integer, got `-1` (number)'],
    [{ maxCorrections: 1.5 }, 'got `1.5` (number)'],
    [{ maxCorrections: Number.NaN }, 'got `NaN` (number)'],
    [{ maxCorrections: '1' }, 'got `"1"` (string)'],
    [{ maxPayloadBytes: 0 }, 'Expected `maxPayloadBytes` to be a positive integer, got `0` (number)'],
    [{ maxPayloadBytes: Number.POSITIVE_INFINITY }, 'got `Infinity` (number)'],
    [{ mode: 'telepathy' }, 'Expected `mode` to be one of tag, native, mcp, tool, json'],
    [{ mode: 'tag' }, '`mode: "tag"` needs a `tag`'],
    [{ tag: 'r', mode: 'native' }, 'cannot be combined with `mode: "native"`'],
    [{ retry: 'again' }, 'Expected `retry` to be one of resume, fresh'],
    [{ check: true }, 'Expected `check` to be a function'],
    [
      null,
      'Expected an object of options for `Output.json()`, got `null`. Options of `Output.json()` are tag, maxCorrections, mode, retry, maxPayloadBytes, check.',
    ],
    ['result', 'Expected an object of options for `Output.json()`, got `"result"` (string)'],
    [{ zzzzzzzz: 1 }, 'or use one of tag, maxCorrections, mode, retry, maxPayloadBytes, check.'],
  ])('refuses %o', (options, message) => {
    expect(messageOf(() => call('json', options))).toContain(message);
  });

  it.each([undefined, null, 'object', { type: 'object' }, { '~standard': {} }])(
    'refuses %o for a schema, and explains how to wrap a JSON Schema',
    (bad) => {
      expect(messageOf(() => call('object', { schema: bad }))).toContain('jsonSchema(schema)');
      expect(messageOf(() => call('array', { element: bad }))).toContain('Expected `element`');
    },
  );

  it.each([[[]], [undefined], ['ab'], [['a', 1]], [['a', 'b', 'a']]])('refuses %o for options', (options) => {
    expect(messageOf(() => call('choice', { options }))).toContain('Expected `options`');
  });

  it('refuses text without a tag, which no other mode can carry', () => {
    expect(messageOf(() => call('string', {}))).toContain('Expected `tag`');
  });

  it.each(['r', '_', 'a.b-c_9', 'Result'])('takes `%s` for a tag, also with its mode named', (tag) => {
    expect(Output.json({ tag, mode: 'tag', maxCorrections: 0, maxPayloadBytes: 1 })).toMatchObject({ tag });
  });
});

describe('toOutputDefinition', () => {
  it('distinguishes definitions from lookalikes', () => {
    const own = Output.json();
    expect(own).toEqual(Output.json({}));
    expect(toOutputDefinition(own)).toBe(own);
    for (const other of [
      undefined,
      null,
      'object',
      schema,
      { _tag: 'object', schema },
      { _tag: 'object', tag: 'r' },
      { _tag: 'array', tag: 'r', element: schema },
      { '~output': {}, _tag: 'x' },
    ]) {
      expect(toOutputDefinition(other)).toBeUndefined();
    }
  });

  it('takes a definition of another library, and validates its options', () => {
    const foreign = { _tag: 'object', tag: 'r', schema, maxRetries: undefined };
    expect(toOutputDefinition(foreign)).toEqual(Output.object({ tag: 'r', schema }));
    expect(toOutputDefinition({ _tag: 'string', tag: 'r' })).toStrictEqual(Output.string({ tag: 'r' }));
    expect(toOutputDefinition({ ...foreign, maxRetries: 3 })).toMatchObject({ maxCorrections: 3 });
    expect(messageOf(() => toOutputDefinition({ ...foreign, tag: 'a b' }))).toContain('Expected `tag`');
    expect(messageOf(() => toOutputDefinition({ ...foreign, schema: {} }))).toContain('Expected `schema`');
    expect(messageOf(() => toOutputDefinition({ ...foreign, maxRetries: -1 }))).toContain('`maxCorrections`');
  });
});

describe('Output.instructions', () => {
  it('shows the tag, the schema and an example, in the order of the keys of the schema', () => {
    const output = Output.object({
      tag: 'result',
      schema: z.object({ reason: z.string(), answer: z.number() }),
    });
    const text = Output.instructions(output);
    expect(text).toContain('between <result> and </result>');
    expect(text.indexOf('"reason"')).toBeLessThan(text.indexOf('"answer"'));
    expect(text).not.toContain('$schema');
    expect(text).toContain('<result>{"reason":"…","answer":…}</result>');
  });

  it('shows a sample that is no answer, also to a model that repeats all of it', async () => {
    for (const output of [
      Output.object({
        tag: 'r',
        schema: z.object({ kind: z.enum(['x', 'y']), n: z.int().min(3), flag: z.boolean() }),
      }),
      Output.array({ tag: 'r', element: z.object({ name: z.string() }) }),
      Output.choice({ tag: 'r', options: ['one', 'two'] }),
      Output.string({ tag: 'r' }),
      Output.json({ tag: 'r' }),
    ]) {
      const text = Output.instructions(output);
      const example = text.slice(text.lastIndexOf('<r>'));
      expect(example).toMatch(/^<r>.+<\/r>$/u);
      for (const said of [example, text, `Do it.\n\n${text}\n`]) {
        expect((await safeExtractOutput(said, output)).success).toBe(false);
      }
    }
  });

  it('shows the only answer that a schema admits', async () => {
    const output = Output.object({ tag: 'r', schema: z.object({ done: z.literal(true) }) });
    const text = Output.instructions(output);
    await expect(extractOutput(text, output)).resolves.toEqual({ done: true });
  });

  it('names no tag if there is none', () => {
    expect(Output.instructions(Output.choice({ options: ['a', 'b'] }))).not.toContain('<');
  });

  it('refuses a schema that has no JSON Schema', () => {
    const output = Output.object({ tag: 'r', schema: v.object({ a: v.number() }) });
    expect(() => Output.instructions(output)).toThrow(UsageError);
  });
});
