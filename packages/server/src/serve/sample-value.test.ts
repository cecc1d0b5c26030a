import { expect, it } from 'vitest';
import { sampleValue } from './sample-value.ts';

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
  expect(sampleValue(schema)).toEqual({ when: '2026-01-31', names: ['sample..', 'sample..'], next: 'left' });
});

it.each([
  ['the first of its examples', { type: 'string', examples: ['x', 'y'] }, 'x'],
  ['the target of an anchor', { $ref: '#there', $defs: { a: { $anchor: 'there', const: 1 } } }, 1],
  ['nothing for an invalid pointer', { $ref: '#/%' }, null],
])('makes %s', (_, schema, expected) => {
  expect(sampleValue(schema)).toEqual(expected);
});

it('makes no more than is easily held, whatever a schema asks for', () => {
  const many = { type: 'array', minItems: 2 ** 40, items: { type: 'string', minLength: 2 ** 40 } };
  const nested = { ...many, items: { ...many, items: many } };
  const recursive = {
    type: 'object',
    properties: Object.fromEntries(Array.from('abcdefgh').map((n) => [n, { $ref: '#' }])),
  };
  for (const schema of [many, recursive])
    expect(JSON.stringify(sampleValue(schema)).length).toBeLessThan(2e7);
  expect(JSON.stringify(sampleValue(nested)).length).toBeLessThan(2e7);
});
