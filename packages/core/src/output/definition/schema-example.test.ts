import { describe, expect, it } from 'vitest';
import { exampleOf } from './schema-example.ts';

describe('exampleOf', () => {
  it.each([
    ['a constant', { const: 7, type: 'number' }, 7],
    ['the first of its examples', { examples: ['x', 'y'], type: 'string' }, 'x'],
    ['the first of an enum', { enum: ['a', 'b'] }, 'a'],
    ['a default', { default: false, type: 'boolean' }, false],
    ['a number within its minimum', { type: 'integer', minimum: 3 }, 3],
    ['the first of several types', { type: ['string', 'null'] }, 'text'],
    ['the first branch', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }, true],
    ['an array of one item', { type: 'array', items: { type: 'number' } }, [1]],
    ['an array of anything', { type: 'array' }, []],
    ['properties without a type', { properties: { a: { type: 'string' } } }, { a: 'text' }],
    ['what a reference names', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { const: 'there' } } }, 'there'],
    ['the target of an anchor', { $ref: '#there', $defs: { a: { $anchor: 'there', const: 1 } } }, 1],
    ['nothing in particular', {}, { key: 'value' }],
    ['anything at all', true, null],
  ])('shows %s', (_, schema, expected) => {
    expect(exampleOf(schema)).toEqual(expected);
  });

  it('ends for a recursive schema', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } } };
    expect(JSON.stringify(exampleOf(tree))).toMatch(/^\{"child":.*null.*\}$/u);
  });

  it('shows nothing for a reference without a target or with an invalid pointer', () => {
    for (const $ref of ['#/$defs/none', 'other.json', '#/%']) expect(exampleOf({ $ref })).toBeNull();
  });
});

it('stays small if definitions reference each other', () => {
  const names = Array.from({ length: 40 }, (_, index) => `d${index}`);
  const schemaOf = (): unknown => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
  });
  const schema = {
    ...(schemaOf() as object),
    $defs: Object.fromEntries(names.map((name) => [name, schemaOf()])),
  };
  expect(JSON.stringify(exampleOf(schema)).length).toBeLessThan(200_000);
});
