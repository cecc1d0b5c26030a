/** Samples of prompts: the shape of an answer with places, and the values of a model that fills in nothing. */
import { expect, it } from 'vitest';
import { sampleValue } from '../../schema/sample/sample-value.ts';
import { sampleOf } from './prompt-sample.ts';

const text = { type: 'string' } as const;

it.each<[string, unknown, string]>([
  ['a value of any kind', {}, '{"key":"…"}'],
  ['any value', true, 'null'],
  ['a text', text, '"…"'],
  ['a number', { type: 'number' }, '…'],
  ['an integer', { type: 'integer' }, '…'],
  ['a truth value', { type: 'boolean' }, '…'],
  ['null', { type: 'null' }, 'null'],
  ['the first of several types', { type: ['integer', 'null'] }, '…'],
  ['an object', { type: 'object', properties: { a: text, b: { type: 'integer' } } }, '{"a":"…","b":…}'],
  ['an object without its type', { properties: { a: text } }, '{"a":"…"}'],
  ['an object without properties', { type: 'object' }, '{}'],
  ['a map', { type: 'object', additionalProperties: { type: 'number' } }, '{"…":…}'],
  [
    'a map beside names',
    { type: 'object', properties: { a: text }, additionalProperties: text },
    '{"a":"…"}',
  ],
  ['a closed object', { type: 'object', additionalProperties: false }, '{}'],
  ['a list', { type: 'array', items: text }, '["…"]'],
  ['a list of anything', { type: 'array' }, '[]'],
  ['a tuple', { type: 'array', prefixItems: [text, { type: 'number' }] }, '["…",…]'],
  ['a tuple of an older draft', { type: 'array', items: [text, { type: 'null' }] }, '["…",null]'],
  ['a constant', { const: 'x' }, '"x"'],
  ['one option', { enum: [7] }, '7'],
  ['options of text', { enum: ['a', 'b'] }, '"…"'],
  ['options of numbers', { enum: [1, 2] }, '…'],
  ['a choice of schemas', { anyOf: [text, { type: 'null' }] }, '"…"'],
  ['one of schemas', { oneOf: [{ type: 'integer' }] }, '…'],
  ['all of schemas', { allOf: [{ type: 'array', items: text }] }, '["…"]'],
  ['a type beside a choice', { type: 'object', properties: { a: text }, anyOf: [text] }, '{"a":"…"}'],
  ['a reference', { $ref: '#/$defs/a', $defs: { a: text } }, '"…"'],
  ['a reference that leads nowhere', { $ref: '#/$defs/b', type: 'string' }, '"…"'],
  ['an unknown type', { type: 'file' }, 'null'],
])('of %s', (_, schema, sample) => {
  expect(sampleOf(schema).text).toBe(sample);
});

it('of a recursive schema ends', () => {
  const schema = {
    $ref: '#/$defs/a',
    $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } },
  };
  expect(sampleOf(schema).text).toBe('{"a":{"a":{"a":null}}}');
});

it('of a wide schema ends in places', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`p${index}`, { type: 'object' }]),
  );
  const { text: sample } = sampleOf({ type: 'object', properties });
  expect(sample.match(/\{\}/gu)).toHaveLength(23);
  expect(sample.match(/…/gu)).toHaveLength(7);
});

it('shows a constant while there is room for it', () => {
  const large = { const: 'x'.repeat(400_000) };
  expect(sampleOf({ type: 'object', properties: { a: large } }).text).toBe('{"a":null}');
});

it('has the values of a model that fills in nothing, unless it is the answer', () => {
  const schema = {
    type: 'object',
    properties: { a: text, b: { type: 'integer' }, c: { type: 'boolean' }, d: { enum: ['x', 'y'] } },
  };
  const [places, words] = sampleOf(schema).echoes;
  expect(places).toMatchObject({ a: '…', d: '…' });
  expect(words).toEqual({ a: 'string', b: 'number', c: 'boolean', d: '…' });
  expect(sampleOf({ const: 1 }).echoes).toEqual([]);
});

// Why the two makers are two functions: a switch `exact` would decide in each of these steps.
it.each<[string, unknown, string, unknown]>([
  ['a default', { type: 'string', default: 'Bergen' }, '"…"', 'Bergen'],
  ['an example', { type: 'integer', examples: [7] }, '…', 7],
  ['options', { enum: ['a', 'b'] }, '"…"', 'a'],
  ['a bound', { type: 'integer', minimum: 300 }, '…', 300],
  [
    'an optional member',
    { type: 'object', properties: { a: text, b: text }, required: ['a'] },
    '{"a":"…","b":"…"}',
    { a: 'sample' },
  ],
  ['a number of items', { type: 'array', items: text, minItems: 2 }, '["…"]', ['sample', 'sample 1']],
  [
    'all of two objects',
    { allOf: [{ required: ['a'] }, { required: ['b'] }] },
    'null',
    { a: 'sample', b: 'sample' },
  ],
  ['a map', { type: 'object', additionalProperties: text }, '{"…":"…"}', {}],
  ['any value', true, 'null', 'sample'],
])('of %s is not the value that fits it', (_, schema, shape, value) => {
  expect([sampleOf(schema).text, sampleValue(schema)]).toEqual([shape, value]);
});
