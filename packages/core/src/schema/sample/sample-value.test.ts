import { expect, it } from 'vitest';
import { compileJsonSchema } from '../engine/compile-json-schema.ts';
import type { JsonSchema } from '../engine/read-schema.ts';
import { sampleCounted, sampleValue } from './sample-value.ts';

it('makes a value that fits', () => {
  const schema = {
    type: 'object',
    properties: {
      when: { type: 'string', format: 'date' },
      names: { type: 'array', minItems: 2, items: { type: 'string', minLength: 8 } },
      next: { $ref: '#/$defs/next' },
    },
    required: ['when', 'names', 'next'],
    $defs: { next: { enum: ['left', 'right'] } },
  };
  expect(sampleValue(schema)).toEqual({ when: '2026-01-31', names: ['sample..', 'sample 1'], next: 'left' });
});

it.each<[string, JsonSchema]>([
  ['a length', { type: 'string', minLength: 9, maxLength: 12 }],
  [
    'a short length',
    { type: 'array', items: { type: 'string', maxLength: 2 }, minItems: 3, uniqueItems: true },
  ],
  ['a pattern', { type: 'string', pattern: String.raw`^[A-Z]{3}-\d+(\.x)?$` }],
  ['a pattern with a length', { type: 'string', pattern: '^[a-z]+$', minLength: 20 }],
  ['a pattern of categories', { type: 'string', pattern: String.raw`^\p{Lu}(?:one|two)[^a-z]*$` }],
  [
    'each format',
    {
      type: 'array',
      prefixItems: ['date-time', 'email', 'ipv4', 'ipv6', 'hostname', 'uri', 'uuid', 'duration'].map(
        (format) => ({ type: 'string' as const, format }),
      ),
      items: false,
    },
  ],
  ['a minimum', { type: 'integer', minimum: 100 }],
  ['limits that it does not contain', { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 2 }],
  ['a multiple', { type: 'number', multipleOf: 0.25, minimum: 7.1 }],
  ['a maximum below zero', { type: 'integer', maximum: -3 }],
  ['an enum', { enum: ['left', 'right'] }],
  ['a const', { type: 'object', properties: { kind: { const: 'bug' } }, required: ['kind'] }],
  ['unique items', { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true }],
  [
    'a minimum of items and properties',
    { type: 'array', minItems: 4, items: { type: 'object', minProperties: 2 } },
  ],
  [
    'an item that it contains',
    { type: 'array', minItems: 2, items: { type: ['string', 'number'] }, contains: { type: 'number' } },
  ],
  [
    'all its parts',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
        { properties: { b: { type: 'string', minLength: 2 } }, required: ['b'] },
      ],
    },
  ],
  [
    'a later branch',
    {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      anyOf: [false, { properties: { a: { maxLength: 3 } } }],
    },
  ],
  [
    'its schema in spite of a wrong example',
    { type: 'string', examples: ['long'], default: 'longer', maxLength: 2 },
  ],
  [
    'a required key without a schema',
    { type: 'object', required: ['a'], additionalProperties: { type: 'number' } },
  ],
])('makes a value that fits %s', (_, schema) => {
  const value = sampleValue(schema);
  expect(compileJsonSchema(schema).validate(value).valid, JSON.stringify(value)).toBe(true);
});

it.each([
  ['the first of its examples', { type: 'string', examples: ['x', 'y'] }, 'x'],
  ['the target of an anchor', { $ref: '#there', $defs: { a: { $anchor: 'there', const: 1 } } }, 1],
  ['nothing for an invalid pointer', { $ref: '#/%' }, null],
])('makes %s', (_, schema, expected) => {
  expect(sampleValue(schema)).toEqual(expected);
});

it('shows optional members if it is asked to, unless the schema then has no end', () => {
  const whole = {
    type: 'object',
    properties: {
      note: { type: 'string' },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
    },
    required: ['note'],
  };
  expect(sampleValue(whole)).toEqual({ note: 'sample' });
  expect(sampleValue(whole, { isWhole: true })).toEqual({ note: 'sample', counts: { key1: 42 } });
  const tree = { type: 'object', properties: { id: { const: 1 }, child: { $ref: '#' } }, required: ['id'] };
  expect(sampleValue(tree, { isWhole: true })).toEqual({ id: 1 });
});

it('makes no more than is easily held, whatever a schema asks for', () => {
  const many = { type: 'array', minItems: 2 ** 40, items: { type: 'string', minLength: 2 ** 40 } };
  const nested = { ...many, items: { ...many, items: many } };
  const recursive = {
    type: 'object',
    properties: Object.fromEntries(Array.from('abcdefgh').map((n) => [n, { $ref: '#' }])),
  };
  for (const schema of [many, recursive]) {
    expect(JSON.stringify(sampleValue(schema)).length).toBeLessThan(2e7);
  }
  expect(JSON.stringify(sampleValue(nested)).length).toBeLessThan(2e7);
});

it('validates all attempts together within the work of one validation', () => {
  const level = (depth: number, name: string): object =>
    depth === 0
      ? { type: 'string', minLength: 9, maxLength: 3 }
      : { anyOf: ['a', 'b', 'c', 'd'].map(() => ({ allOf: [{ $ref: `#/$defs/${name}${depth - 1}` }] })) };
  const $defs = Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [`d${n}`, level(n, 'd')]));
  const { work } = sampleCounted({ $ref: '#/$defs/d9', $defs });
  expect(work).toBeGreaterThan(400_000);
  expect(work).toBeLessThan(501_000);
});
