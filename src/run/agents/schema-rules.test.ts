import { expect, test } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../../errors/usage-error.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';

const leaf = { type: 'integer' };
const strict = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

function refusal(agent: typeof claudeCode | typeof codex, schema: unknown): string {
  try {
    agent().nativeRoute?.assertSchema(schema);
  } catch (error) {
    expect(UsageError.isInstance(error) && error.code).toBe('unsupported');
    return error instanceof UsageError ? error.message : '';
  }
  return '';
}

test('both take what Zod makes of a plain object', () => {
  const schema = z.toJSONSchema(
    z.object({ answer: z.int(), tags: z.array(z.enum(['a', 'b'])), note: z.string().nullable() }),
  );
  expect(refusal(claudeCode, schema)).toBe('');
  expect(refusal(codex, schema)).toBe('');
});

test('the message names the path, the rule, its source, and what to do', () => {
  expect(
    refusal(claudeCode, { type: 'object', properties: { 'a.b': { type: 'array', prefixItems: [leaf] } } }),
  ).toBe(
    'The schema mode of `claude-code` does not take this schema: expected no other keywords than it knows, at `/properties/a.b/prefixItems` (Claude Code 2.1.329, tried, 2026-11-21). Change the schema, or give the output a `tag`.',
  );
});

test.each([
  ['an array at the root', { type: 'array', items: leaf }, 'at the root'],
  ['a union at the root', { type: 'object', anyOf: [{}] }, '`/anyOf`'],
  ['unevaluatedProperties', { type: 'object', unevaluatedProperties: false }, '`/unevaluatedProperties`'],
  ['discriminator below', { type: 'object', allowed: 1 }, '`/allowed`'],
  ['$anchor', { type: 'object', $defs: { 'x/y': { $anchor: 'x' } } }, '`/$defs/x~1y/$anchor`'],
  [
    'a remote reference',
    { type: 'object', properties: { a: { $ref: 'https://x.example/s' } } },
    '`/properties/a/$ref`',
  ],
  [
    'a broken pattern',
    { type: 'object', properties: { a: { type: 'string', pattern: '[' } } },
    '`/properties/a/pattern`',
  ],
  [
    'draft-04 bounds',
    { type: 'object', properties: { a: { exclusiveMinimum: true } } },
    '`/properties/a/exclusiveMinimum`',
  ],
  ['a strange property name', { type: 'object', properties: { 'ä b': leaf } }, '`/properties/ä b`'],
  ['no object at all', true, 'Expected a JSON Schema that is an object'],
])('claude-code refuses %s', (_case, schema, expected) => {
  expect(refusal(claudeCode, schema)).toContain(expected);
});

test('claude-code takes recursion, definitions and the vocabulary of draft-07', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      node: { $ref: '#' },
      a: { $ref: '#/$defs/x' },
      b: { oneOf: [{ const: 1 }, { not: leaf }] },
    },
    $defs: { x: { type: 'string', format: 'date-time', minLength: 1 } },
  };
  expect(refusal(claudeCode, schema)).toBe('');
});

function nested(levels: number): Record<string, unknown> {
  return strict({ a: levels === 1 ? leaf : nested(levels - 1) });
}

const manyNames = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`p${index}`, leaf]));
const values = (count: number, chars: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(chars, '0'));

test.each([
  ['an array at the root', { type: 'array', items: leaf }, 'at the root'],
  ['a union at the root', { ...strict({}), anyOf: [{}] }, '`/anyOf`'],
  ['an open object', { ...strict({}), additionalProperties: true }, '`/additionalProperties`'],
  [
    'an open object below',
    strict({ a: { type: ['object', 'null'], properties: {} } }),
    '`/properties/a/additionalProperties`',
  ],
  ['an optional property', { ...strict({ a: leaf, b: leaf }), required: ['a'] }, '`/properties/b`'],
  ['oneOf', strict({ a: { oneOf: [leaf] } }), '`/properties/a/oneOf`'],
  ['a default', strict({ a: { type: 'integer', default: 1 } }), '`/properties/a/default`'],
  ['minLength', strict({ a: { type: 'string', minLength: 1 } }), '`/properties/a/minLength`'],
  ['eleven objects within each other', nested(11), 'at most 10 objects within each other'],
  ['5,001 properties', strict(manyNames), 'at most 5000 properties'],
  ['1,001 enum values', strict({ a: { enum: values(1_001, 4) } }), 'at most 1000 enum values'],
  ['a long enum', strict({ a: { enum: values(251, 60) } }), '`/properties/a/enum`'],
  ['long names', strict({ [`x${'y'.repeat(120_000)}`]: leaf }), 'at most 120000 characters'],
])('codex refuses %s', (_case, schema, expected) => {
  expect(refusal(codex, schema)).toContain(expected);
});

test('codex takes ten objects within each other, recursion and unions below the root', () => {
  expect(refusal(codex, nested(10))).toBe('');
  expect(refusal(codex, strict({ a: { anyOf: [leaf, { type: 'null' }] }, b: { $ref: '#' } }))).toBe('');
});

test('a schema that holds itself as an object is checked to its end', () => {
  const schema: Record<string, unknown> = { type: 'object' };
  schema['properties'] = { self: schema };
  expect(refusal(claudeCode, schema)).toBe('');
});
