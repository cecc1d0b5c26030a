/**
 * Explanations of schemas that no value fits: the deepest place, why, and what to do. Beside each, a schema that
 * differs a little and that a value fits.
 */
import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../engine/compile-json-schema.ts';
import type { JsonSchema } from '../../engine/read-schema.ts';
import { ImpossibleParts } from './impossible-parts.ts';
import { removeImpossible } from './remove-impossible.ts';

const CORRECT_ONE = 'Correct one of them.';
const REMOVE = { why: 'it excludes every value', cure: 'Remove it, or make it optional.' };
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const NEVER = { type: 'string', minLength: 2, maxLength: 1 } as const;
const NEVER_WHY = 'its `minLength` 2 leaves nothing below its `maxLength` 1';

interface Explained {
  readonly path: readonly (string | number)[];
  readonly why: string;
  readonly cure: string;
}

/** A schema that nothing fits, its explanation, and a similar one with a value that fits. */
const CASES: Readonly<Record<string, readonly [JsonSchema, Partial<Explained>, JsonSchema, unknown]>> = {
  'types that exclude each other': [
    { allOf: [{ type: 'string' }, { type: 'integer' }] },
    { path: [], why: 'its types exclude each other', cure: CORRECT_ONE },
    { allOf: [{ type: 'number' }, { type: 'integer' }] },
    1,
  ],
  'an integer that is no fraction': [
    { allOf: [{ type: 'integer' }, { enum: [1.5] }] },
    { why: 'none of its listed values fits its other keywords', cure: 'Correct `type`, `enum` or `const`.' },
    { allOf: [{ type: 'number' }, { enum: [1.5] }] },
    1.5,
  ],
  'lists without a common value': [
    { allOf: [{ enum: ['a', { b: [1] }] }, { enum: ['c', { b: [2] }] }] },
    { why: 'none of its listed values fits its other keywords' },
    { allOf: [{ enum: ['a', { b: [1] }] }, { enum: ['c', { b: [1] }] }] },
    { b: [1] },
  ],
  'a constant beside another type': [
    { const: null, type: ['string', 'array'] },
    { why: 'none of its listed values fits its other keywords' },
    { const: null, type: ['string', 'null'] },
    null,
  ],
  'a listed text that is too short': [
    { enum: ['ab'], minLength: 3 },
    { why: 'none of its listed values fits its other keywords' },
    { enum: ['ab', 'abc'], minLength: 3, maxLength: 3 },
    'abc',
  ],
  'a listed number that is too large': [
    { enum: [5], exclusiveMaximum: 5 },
    { why: 'none of its listed values fits its other keywords' },
    { enum: [5], maximum: 5 },
    5,
  ],
  'no alternative': [
    { anyOf: [{ enum: [] }, NEVER] },
    { path: [], why: 'none of its alternatives allows a value', cure: CORRECT_ONE },
    { anyOf: [{ enum: [] }, { enum: [1] }] },
    1,
  ],
  'one alternative': [
    { oneOf: [NEVER] },
    { path: ['oneOf', 0], why: NEVER_WHY, cure: CORRECT_ONE },
    { oneOf: [{ ...NEVER, maxLength: 2 }] },
    'ab',
  ],
  'alternatives of other types': [
    { type: 'string', anyOf: [{ type: 'integer' }, { enum: [null] }] },
    { why: 'its types exclude each other' },
    { type: 'string', anyOf: [{ type: 'integer' }, { $ref: '#/$defs/a' }], $defs: { a: { enum: ['x'] } } },
    'x',
  ],
  'lengths of a text': [
    NEVER,
    { path: [], why: NEVER_WHY, cure: CORRECT_ONE },
    { type: 'string', minLength: 2, maxLength: 2 },
    'ab',
  ],
  'bounds of an integer': [
    { type: 'integer', minimum: 1.2, maximum: 1.8 },
    { why: 'no whole number lies between its `minimum` 1.2 and its `maximum` 1.8', cure: 'Correct them.' },
    { type: 'number', minimum: 1.2, maximum: 1.8 },
    1.5,
  ],
  'an exclusive lower bound': [
    { type: 'number', exclusiveMinimum: 3, maximum: 3 },
    { why: 'its `exclusiveMinimum` 3 leaves nothing below its `maximum` 3' },
    { type: 'number', minimum: 3, maximum: 3 },
    3,
  ],
  'an exclusive upper bound': [
    { type: 'number', minimum: 3, exclusiveMaximum: 3 },
    { why: 'its `minimum` 3 leaves nothing below its `exclusiveMaximum` 3' },
    { type: 'integer', minimum: 3, exclusiveMaximum: 4 },
    3,
  ],
  'exclusive bounds of integers': [
    { type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 4 },
    { why: 'no whole number lies between its `exclusiveMinimum` 3 and its `exclusiveMaximum` 4' },
    { type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 5 },
    4,
  ],
  'the stricter of several bounds': [
    { type: 'integer', minimum: 1, allOf: [{ minimum: 7 }, { minimum: 3 }, { maximum: 6 }, { maximum: 9 }] },
    { why: 'its `minimum` 7 leaves nothing below its `maximum` 6' },
    { type: 'integer', minimum: 1, allOf: [{ minimum: 6 }, { minimum: 3 }, { maximum: 6 }, { maximum: 9 }] },
    6,
  ],
  multiples: [
    { type: 'integer', multipleOf: 10, minimum: 1, maximum: 9 },
    { why: 'no multiple of 10 lies between its `minimum` 1 and its `maximum` 9' },
    { type: 'integer', multipleOf: 10, minimum: 1, maximum: 10 },
    10,
  ],
  'multiples between exclusive bounds': [
    { type: 'integer', multipleOf: 10, exclusiveMinimum: 10, exclusiveMaximum: 20 },
    { why: 'no multiple of 10 lies between its `exclusiveMinimum` 10 and its `exclusiveMaximum` 20' },
    { type: 'integer', multipleOf: 10, exclusiveMinimum: 10, maximum: 20 },
    20,
  ],
  'a required property that is not allowed': [
    { type: 'object', properties: { a: {} }, required: ['b'], additionalProperties: false },
    {
      path: ['required'],
      why: 'it requires the property "b" and does not allow it',
      cure: 'Add it to `properties`, or remove it from `required`.',
    },
    {
      type: 'object',
      properties: { a: {} },
      patternProperties: { '^b': {} },
      required: ['b'],
      additionalProperties: false,
    },
    { b: 1 },
  ],
  'a required property without a name': [
    { type: 'object', required: ['b'], propertyNames: false },
    { path: ['required'], why: 'it requires the property "b" and does not allow it' },
    { type: 'object', required: [], propertyNames: false },
    {},
  ],
  'a required property without a value': [
    { type: 'object', properties: { a: NEVER }, required: ['a'] },
    { path: ['properties', 'a'], why: NEVER_WHY },
    { type: 'object', properties: { a: NEVER } },
    {},
  ],
  'a required property that is `false`': [
    { type: 'object', properties: { a: false }, required: ['a'] },
    { path: ['properties', 'a'], ...REMOVE },
    { type: 'object', properties: { a: true }, required: ['a'] },
    { a: 1 },
  ],
  'a required property of a map without values': [
    { type: 'object', required: ['a'], additionalProperties: NEVER },
    { path: ['additionalProperties'], why: NEVER_WHY },
    { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: NEVER },
    { a: 1 },
  ],
  'more required properties than allowed': [
    { type: 'object', required: ['a', 'b'], maxProperties: 1 },
    { why: 'it requires 2 properties, above its `maxProperties` 1', cure: CORRECT_ONE },
    { type: 'object', required: ['a', 'b'], maxProperties: 2 },
    { a: 1, b: 2 },
  ],
  'numbers of properties': [
    { type: 'object', minProperties: 3, maxProperties: 2 },
    { why: 'its `minProperties` 3 leaves nothing below its `maxProperties` 2' },
    { type: 'object', minProperties: 2, maxProperties: 2 },
    { a: 1, b: 2 },
  ],
  'items without a value': [
    { type: 'array', items: NEVER, minItems: 2 },
    { path: ['items'], why: NEVER_WHY },
    { type: 'array', items: NEVER, minItems: 0 },
    [],
  ],
  'items that are `false`': [
    { type: 'array', items: false, minItems: 1 },
    { path: ['items'], why: 'it needs 1 items, and no value fits one', cure: 'Lower `minItems`.' },
    { type: 'array', items: false },
    [],
  ],
  'more items than a tuple has': [
    { type: 'array', prefixItems: [{}, {}], items: false, minItems: 3 },
    { path: ['items'], why: 'it needs 3 items, and no value fits the ones after 2' },
    { type: 'array', prefixItems: [{}, {}], items: false, minItems: 2 },
    [1, 2],
  ],
  'an item of a tuple without a value': [
    { type: 'array', prefixItems: [{}, NEVER], minItems: 2 },
    { path: ['prefixItems', 1], why: NEVER_WHY },
    { type: 'array', prefixItems: [{}, NEVER], minItems: 1 },
    [1],
  ],
  'a tuple of an older draft': [
    { $schema: DRAFT_07, type: 'array', items: [{}, NEVER], minItems: 2 },
    { path: ['items', 1], why: NEVER_WHY },
    { $schema: DRAFT_07, type: 'array', items: NEVER, prefixItems: [NEVER] },
    [],
  ],
  'more items than a tuple of an older draft has': [
    { $schema: DRAFT_07, type: 'array', items: [{}], additionalItems: false, minItems: 2 },
    { path: ['additionalItems'], why: 'it needs 2 items, and no value fits the ones after 1' },
    { $schema: DRAFT_07, type: 'array', items: [{}], additionalItems: false, minItems: 1 },
    [1],
  ],
  'numbers of items': [
    { type: 'array', minItems: 2, maxItems: 1 },
    { why: 'its `minItems` 2 leaves nothing below its `maxItems` 1' },
    { type: 'array', minItems: 1, maxItems: 1 },
    [1],
  ],
  'contents without a value': [
    { type: 'array', contains: NEVER },
    { path: ['contains'], why: NEVER_WHY },
    { type: 'array', contains: NEVER, minContains: 0 },
    [],
  ],
  'numbers of contents': [
    { type: 'array', contains: {}, minContains: 3, maxContains: 2 },
    { why: 'its `minContains` 3 exceeds its `maxContains` 2', cure: CORRECT_ONE },
    { type: 'array', contains: {}, minContains: 2, maxContains: 2 },
    [1, 2],
  ],
  'one content at least, of none': [
    { type: 'array', contains: {}, maxContains: 0 },
    { why: 'its `minContains` 1 exceeds its `maxContains` 0' },
    { type: 'array', contains: {}, minContains: 0, maxContains: 0 },
    [],
  ],
  'an object that contains itself': [
    { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] },
    {
      why: 'it contains itself, and no value of it ends',
      cure: 'Make the reference optional, or let it be `null`.',
    },
    { type: 'object', properties: { a: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }, required: ['a'] },
    { a: null },
  ],
  'a list that contains itself': [
    { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' }, minItems: 1 } } },
    { why: 'it contains itself, and no value of it ends' },
    { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } },
    [[], [[]]],
  ],
  'a reference to a part without a value': [
    { type: 'object', properties: { a: { $ref: '#/$defs/no' } }, required: ['a'], $defs: { no: NEVER } },
    { path: ['properties', 'a'], why: NEVER_WHY },
    { type: 'object', properties: { a: { $ref: '#/$defs/no' } }, $defs: { no: NEVER } },
    {},
  ],
  'keywords beside a reference': [
    { $ref: '#/$defs/a', maxLength: 1, $defs: { a: { type: 'string', minLength: 2 } } },
    { why: NEVER_WHY },
    {
      $schema: DRAFT_07,
      type: 'object',
      properties: { a: { $ref: '#/definitions/a', maxLength: 1 } },
      required: ['a'],
      definitions: { a: { type: 'string', minLength: 2 } },
    },
    { a: 'ab' },
  ],
};

const explain = (schema: JsonSchema): unknown => new ImpossibleParts(schema).explain(schema);
const fits = (schema: JsonSchema, value: unknown): boolean => compileJsonSchema(schema).validate(value).valid;

describe.each(Object.entries(CASES))('%s', (_name, [schema, explained, similar, value]) => {
  it('leave no value, for a reason', () => {
    expect(explain(schema)).toMatchObject(explained);
    expect(fits(schema, value)).toBe(false);
  });

  it('leave a value in a similar schema', () => {
    expect(fits(similar, value)).toBe(true);
    expect(explain(similar)).toBeUndefined();
  });
});

it.each([
  ['date', 'Request a string there, such as `z.iso.datetime()`, and transform it.'],
  ['bigint', 'Request a string of digits there, and transform it.'],
  ['map', 'Request an object there, such as `z.record()`, and transform it.'],
  ['set', 'Request an array there, and transform it.'],
  ['undefined', 'Make it optional.'],
  ['symbol', 'Request a type of JSON there.'],
])('the type %s of a library is named, with its remedy', (type, cure) => {
  const part = { type: 'object', properties: { a: { type } }, required: ['a'] };
  expect(new ImpossibleParts(part).explain(part)).toEqual({
    path: ['properties', 'a'],
    why: `JSON has no \`${type}\``,
    cure,
  });
  const known = { type: 'object', properties: { a: { type: [type, 'null'] } }, required: ['a'] };
  expect(new ImpossibleParts(known).explain(known)).toBeUndefined();
});

it('a part that can be `null` in OpenAPI has a value', () => {
  expect(explain({ ...NEVER, nullable: true })).toBeUndefined();
  expect(explain({ type: 'null', anyOf: [{ type: 'string', nullable: true }] })).toBeUndefined();
  expect(explain({ ...NEVER, nullable: false })).toBeDefined();
});

it('a reference of a document with ids inside is not followed', () => {
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/no' }, b: { $id: 'x' } },
    required: ['a'],
    $defs: { no: { type: 'string', allOf: [{ type: 'integer' }] } },
  };
  expect(explain(schema)).toBeUndefined();
});

it('optional parts are removed at the outermost place, each with its keyword and its reason', () => {
  const never = (): object => ({ ...NEVER });
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'object', properties: { b: never() }, required: ['b'] },
      list: { type: 'array', prefixItems: [{}, never()], items: never(), minItems: 0 },
      either: { anyOf: [{ type: 'string' }, never()] },
      ref: { $ref: '#/$defs/no' },
    },
    patternProperties: { '^x': never() },
    additionalProperties: never(),
    $defs: { no: never() },
  };
  const found = removeImpossible(schema).map(({ path, keyword, why }) => [path.join('/'), keyword, why]);
  expect(found.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    ['additionalProperties', 'additionalProperties', NEVER_WHY],
    ['patternProperties/^x', 'patternProperties', NEVER_WHY],
    ['properties/a', 'properties', NEVER_WHY],
    ['properties/either/anyOf/1', 'anyOf', NEVER_WHY],
    ['properties/list/items', 'items', NEVER_WHY],
    ['properties/list/prefixItems/1', 'prefixItems', NEVER_WHY],
    ['properties/ref', 'properties', NEVER_WHY],
  ]);
  expect(schema).toEqual({
    type: 'object',
    properties: {
      a: false,
      list: { type: 'array', prefixItems: [{}, false], items: false, minItems: 0 },
      either: { anyOf: [{ type: 'string' }, false] },
      ref: false,
    },
    patternProperties: { '^x': false },
    additionalProperties: false,
    $defs: { no: false },
  });
});

it('a schema that nothing fits is refused, with the place, the reason and the remedy', () => {
  const schema = { type: 'object', properties: { a: NEVER }, required: ['a'] };
  expect(() => removeImpossible(schema)).toThrow(
    expect.objectContaining({
      code: 'unsupported',
      path: ['properties', 'a'],
      message: `No value fits the schema, so no answer is possible, because of \`/properties/a\`: ${NEVER_WHY}. ${CORRECT_ONE}`,
    }),
  );
});
