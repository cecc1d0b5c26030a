import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../engine/compile-json-schema.ts';
import type { JsonSchema } from '../../engine/read-schema.ts';
import { lowerJsonSchema } from '../lower-json-schema.ts';

const TYPES = ['null', 'boolean', 'integer', 'number', 'string'] as const;
type TypeName = (typeof TYPES)[number];
/** Each single type, and each pair. */
const LISTS: readonly (readonly TypeName[])[] = TYPES.flatMap((first, index) => [
  [first],
  ...TYPES.slice(index + 1).map((second) => [first, second]),
]);
const SAMPLES = [null, true, 2, 2.5, 'text'] as const;

describe('two types that must both hold', () => {
  it.each(LISTS.map((list) => [list.join(' or '), list] as const))(
    '%s with each other list: the merged schema accepts what both accept, and nothing more',
    (_name, first) => {
      for (const second of LISTS) {
        const part = { allOf: [{ type: [...first] }, { type: [...second] }] };
        const original = compileJsonSchema(part);
        const expected = SAMPLES.filter((sample) => original.validate(sample).valid);
        // No answer is possible, which the lowering refuses.
        if (expected.length === 0) continue;
        const { schema } = lowerJsonSchema(
          { type: 'object', properties: { a: part }, required: ['a'] },
          'gemini',
        );
        const lowered = compileJsonSchema(schema);
        const accepted = SAMPLES.filter((a) => lowered.validate({ a }).valid);
        expect(accepted, `${first.join()} and ${second.join()}`).toEqual(expected);
      }
    },
  );
});

/** Pairs of schemas that must both hold, with values on both sides of each of their rules. */
const PAIRS: readonly (readonly [string, JsonSchema, JsonSchema, readonly unknown[]])[] = [
  ['lower bounds', { type: 'integer', minimum: 2 }, { minimum: 4 }, [1, 2, 3, 4, 5]],
  ['lower bounds, the larger first', { type: 'integer', minimum: 4 }, { minimum: 2 }, [1, 2, 3, 4, 5]],
  ['upper bounds', { type: 'integer', maximum: 4 }, { maximum: 2 }, [1, 2, 3, 4, 5]],
  ['upper bounds, the smaller first', { type: 'integer', maximum: 2 }, { maximum: 4 }, [1, 2, 3, 4, 5]],
  ['enumerations', { enum: ['a', 'b', 'c'] }, { enum: ['d', 'c', 'b'] }, ['a', 'b', 'c', 'd']],
  ['an enumeration and a type', { enum: ['a', 1] }, { type: 'string' }, ['a', 1, 'b']],
  [
    'lengths of lists',
    { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 3 },
    { minItems: 2, maxItems: 5 },
    [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]],
  ],
  [
    'items',
    { type: 'array', items: { type: 'integer' } },
    { items: { minimum: 3 } },
    [[], [2], [3], [3, 4], ['a']],
  ],
  [
    'alternatives',
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
    ['a', 1, true, null],
  ],
  [
    'equal alternatives',
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ['a', 1, true],
  ],
  [
    'required properties',
    { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a'] },
    { required: ['b'] },
    [{ a: 1, b: 2 }, { a: 1 }, { b: 2 }],
  ],
  [
    'a property that both name',
    { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] },
    { properties: { a: { maximum: 3 } } },
    [{ a: 0 }, { a: 1 }, { a: 3 }, { a: 4 }],
  ],
  [
    'properties of a closed object',
    {
      type: 'object',
      properties: { a: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    },
    { properties: { b: { type: 'integer' } } },
    [{ a: 1 }, { a: 1, b: 2 }],
  ],
];

describe.each(PAIRS)('two schemas with %s', (_name, first, second, samples) => {
  it.each([
    ['in this order', [first, second]],
    ['in the other order', [second, first]],
  ])('are asked for together, and nothing is lost: %s', (_order, allOf) => {
    const part = { allOf };
    const original = compileJsonSchema(part);
    const expected = samples.filter((sample) => original.validate(sample).valid);
    const { schema, losses } = lowerJsonSchema(
      { type: 'object', properties: { a: part }, required: ['a'] },
      'gemini',
    );
    const lowered = compileJsonSchema(schema);
    expect(samples.filter((a) => lowered.validate({ a }).valid)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
    expect(losses).toEqual([]);
  });
});

it('of rules that differ and cannot be combined the first is asked for, and the loss is named', () => {
  const part = { allOf: [{ type: 'string', pattern: '^a' }, { pattern: 'b$' }] };
  const { schema, losses } = lowerJsonSchema(
    { type: 'object', properties: { a: part }, required: ['a'] },
    'openai',
  );
  expect(schema).toMatchObject({ properties: { a: { pattern: '^a' } } });
  expect(losses).toMatchObject([{ path: ['properties', 'a'], keyword: 'pattern' }]);
});

it('a title of the first schema stays, and a second one is no loss', () => {
  const part = { allOf: [{ type: 'string', description: 'one' }, { description: 'two' }] };
  const { schema, losses } = lowerJsonSchema(
    { type: 'object', properties: { a: part }, required: ['a'] },
    'openai',
  );
  expect(schema).toMatchObject({ properties: { a: { description: 'one' } } });
  expect(losses).toEqual([]);
});
