import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { canonicalJson } from '../../schema/canonical-json.ts';
import { jsonSchema } from '../../schema/json-schema.ts';
import { toJsonSchema } from '../../schema/to-json-schema.ts';
import { notProducedError } from '../definition/answer-errors.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { Output } from '../output.ts';
import { judgeReply } from './drive.ts';

const schema = z.object({ answer: z.number() });
const output = Output.object({ schema });

const judge = (text: string, definition: AnyOutputDefinition = output) =>
  judgeReply({ text }, definition, { mode: 'native' });
const validate = (value: unknown, definition?: AnyOutputDefinition) =>
  judge(JSON.stringify(value), definition);

describe('an answer by a mode without a tag', () => {
  it('is accepted unchanged without a repair', async () => {
    for (const result of [
      await validate({ answer: 42 }),
      await judge(' {"answer":42}\n'),
      await judge('```json\n{"answer":42}\n```'),
    ]) {
      expect(result).toMatchObject({ success: true, output: { answer: 42 } });
      expect(result.success && result.provenance).toMatchObject({ mode: 'native', repairs: [] });
    }
  });

  it.each([
    ['a wrapper', { output: { answer: 42 } }, ['unwrapped-output']],
    ['a string that holds the JSON', '{"answer":42}', ['parsed-string']],
    ['a wrapper around a string', { output: '{"answer":42}' }, ['unwrapped-output', 'parsed-string']],
    ['a string around a wrapper', '{"output":{"answer":42}}', ['parsed-string', 'unwrapped-output']],
  ])('is unwrapped from %s, with a label', async (_, value, kinds) => {
    const result = await validate(value);
    expect(result).toMatchObject({ success: true, output: { answer: 42 } });
    expect(result.success && result.provenance.repairs).toEqual(kinds.map((kind) => ({ kind, path: [] })));
  });

  it('is not repaired if the original value is accepted', async () => {
    const wrapped = { output: { answer: 42 } };
    const result = await validate(wrapped, Output.object({ schema: z.object({ output: schema }) }));
    expect(result).toMatchObject({ success: true, output: wrapped, provenance: { repairs: [] } });
    expect(await validate('{"answer":42}', Output.json({}))).toMatchObject({ output: '{"answer":42}' });
  });

  it.each([
    ['a wrapper with more in it', { output: { answer: 42 }, note: 'x' }],
    ['a wrapper of something else', { output: { answer: '42' } }],
    ['a string that is no JSON', 'answer: 42'],
    ['three envelopes', { output: { output: { output: { answer: 42 } } } }],
  ])('fails with %s, with the issues of the original value', async (_, value) => {
    const result = await validate(value);
    expect(result.success).toBe(false);
    if (result.success) return;
    expect(result.error).toMatchObject({ code: 'schema-mismatch', tag: undefined });
    expect(result.error.message).not.toContain('<');
    const direct = schema.safeParse(value);
    expect(result.error.issues).toHaveLength(direct.error?.issues.length ?? 0);
  });

  it('stays a mismatch when only the repaired value makes the schema throw', async () => {
    const moody = z.unknown().refine((value) => {
      if (value === 'inner') throw new TypeError('moody');
      return false;
    });
    const result = await validate({ output: 'inner' }, Output.object({ schema: moody }));
    expect(result.success || result.error.code).toBe('schema-mismatch');
  });

  it('refuses a key that could reach a prototype, as text and as a value', async () => {
    const text = '{"answer":42,"x":{"__proto__":1}}';
    for (const result of [
      await judge(text, Output.json({})),
      await validate(JSON.parse(text), Output.json({})),
    ]) {
      expect(result.success || result.error.code).toBe('invalid-json');
    }
  });

  it('can be a choice or a list, wrapped or not', async () => {
    const choice = Output.choice({ options: ['a', 'b'] });
    expect(await judge('"a"', choice)).toMatchObject({ output: 'a' });
    expect(await judge('{"output":"b"}', choice)).toMatchObject({ output: 'b' });
    expect(await validate({ output: 'b' }, choice)).toMatchObject({ output: 'b' });
    expect(await validate({ output: [1] }, Output.array({ element: z.number() }))).toMatchObject({
      output: [1],
    });
  });

  it('reports the received text for invalid JSON, without a tag', async () => {
    const result = await judge('Sorry, I cannot.');
    expect(result.success || result.error).toMatchObject({ code: 'invalid-json', tag: undefined });
    expect(result.success || result.error.message).toContain('`Sorry, I cannot.`');
  });

  it('can be absent', () => {
    expect(notProducedError(output)).toMatchObject({ code: 'not-produced', rawMatched: undefined });
    expect(notProducedError(output, { message: 'The tool was never called.' }).message).toBe(
      'The tool was never called.',
    );
    expect(notProducedError(output, { message: 'Two\nlines' }).message).toBe('Two lines');
  });
});

describe('the hash of a schema', () => {
  const hashOf = async (definition: AnyOutputDefinition, value: unknown): Promise<unknown> => {
    const result = await validate(value, definition);
    return result.success ? result.provenance.schemaHash : result.error;
  };

  it('is the SHA-256 of its canonical JSON Schema', async () => {
    const expected = createHash('sha256')
      .update(canonicalJson(toJsonSchema(schema)))
      .digest('hex');
    expect(await hashOf(output, { answer: 1 })).toBe(expected);
    expect(await hashOf(Output.object({ schema: z.object({ answer: z.number() }) }), { answer: 1 })).toBe(
      expected,
    );
  });

  it('distinguishes a list of values from a single value', async () => {
    expect(await hashOf(Output.array({ element: schema }), [{ answer: 1 }])).not.toBe(
      await hashOf(output, { answer: 1 }),
    );
  });

  it('is absent if there is no JSON Schema', async () => {
    expect(await hashOf(Output.object({ schema: v.object({}) }), {})).toBeUndefined();
    expect(await hashOf(Output.string({ tag: 'r' }), 'text')).toBeUndefined();
  });

  it('is equal for the same JSON Schema, from any library and in any key order', async () => {
    const equivalent = jsonSchema({
      required: ['answer'],
      properties: { answer: { type: 'number' } },
      type: 'object',
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    });
    expect(await hashOf(Output.object({ schema: equivalent }), { answer: 1 })).toBe(
      await hashOf(output, { answer: 1 }),
    );
  });
});

describe('a value that the prompt shows', () => {
  const text = Output.object({ schema: z.object({ subject: z.string(), tags: z.array(z.string()) }) });

  it.each([
    ['the sample', { subject: '…', tags: ['…'] }],
    ['the words of the type', { subject: 'string', tags: ['string'] }],
    ['the sample in an envelope', { output: { subject: '…', tags: ['…'] } }],
  ])('is no answer, although its schema accepts it: %s', async (_, value) => {
    const result = await validate(value, text);
    expect(result.success || result.error).toMatchObject({ code: 'not-produced' });
  });

  it('is no answer of any value: the demonstration before a question', async () => {
    const shown = { days: 40_961 };
    const result = await validate(shown, Output.json({}));
    expect(result.success || result.error).toMatchObject({ code: 'not-produced' });
    expect(await validate({ ...shown, days: 5 }, Output.json({}))).toMatchObject({ success: true });
  });

  it('is an answer with one other word in it', async () => {
    const value = { subject: 'string', tags: ['…'] };
    expect(await validate(value, text)).toMatchObject({ success: true, output: value });
  });
});

it('a number inside an envelope is not rounded by a repair', async () => {
  const text = JSON.stringify('{"answer":9007199254740993}');
  expect(await judge(text)).toMatchObject({ success: false });
  expect(await judge(text.replace('993', '2'))).toMatchObject({ success: true });
});
