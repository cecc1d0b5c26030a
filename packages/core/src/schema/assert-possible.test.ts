/** Schemas that no JSON value fits, in each library, and schemas near them that some value fits. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Schema } from 'effect';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { UsageError } from '../errors/usage-error.ts';
import { assertPossible, findImpossible } from './assert-possible.ts';
import { jsonSchema } from './json-schema.ts';

interface Endless {
  readonly next: Endless;
}
const endless: z.ZodType<Endless> = z.object({
  get next() {
    return endless;
  },
});
const tree = z.object({
  get next() {
    return z.union([tree, z.null()]);
  },
});

/** Schemas without a value, and the place of the cause. */
const IMPOSSIBLE: readonly (readonly [string, unknown, string])[] = [
  ['a date', z.object({ when: z.date() }), '/properties/when'],
  ['a bigint', z.object({ n: z.bigint() }), '/properties/n'],
  ['a map', z.object({ m: z.map(z.string(), z.string()) }), '/properties/m'],
  ['a set', z.set(z.string()), ''],
  ['undefined', z.object({ u: z.undefined() }), '/properties/u'],
  ['never', z.object({ a: z.object({ no: z.never() }) }), '/properties/a/properties/no'],
  ['NaN', z.object({ n: z.nan() }), '/properties/n'],
  ['a symbol', z.object({ s: z.symbol() }), '/properties/s'],
  ['a literal that JSON lacks', z.object({ l: z.literal([undefined, 1n]) }), '/properties/l'],
  ['crossed lengths', z.object({ s: z.string().min(5).max(3) }), '/properties/s'],
  ['crossed bounds', z.object({ n: z.number().min(5).max(3) }), '/properties/n'],
  ['equal bounds, one excluded', z.object({ n: z.number().gt(3).max(3) }), '/properties/n'],
  ['no whole number between', z.object({ n: z.int().gt(3).lt(4) }), '/properties/n'],
  ['no multiple between', z.object({ n: z.number().min(11).max(19).multipleOf(10) }), '/properties/n'],
  ['crossed item counts', z.array(z.string()).min(3).max(2), ''],
  ['needed items without a value', z.object({ d: z.array(z.date()).min(1) }), '/properties/d/items'],
  ['a tuple with a date', z.tuple([z.string(), z.date()]), '/prefixItems/1'],
  ['only dead alternatives', z.object({ x: z.union([z.date(), z.bigint()]) }), '/properties/x'],
  ['both a string and a date', z.intersection(z.string(), z.date()), ''],
  ['a constant that is not listed', jsonSchema({ const: 'y', enum: ['x', 'z'] }), ''],
  [
    'an alternative whose constant has another type than its list',
    jsonSchema({
      type: 'number',
      anyOf: [
        { const: 1, enum: ['x'] },
        { const: 'x', enum: ['x'] },
      ],
    }),
    '',
  ],
  ['two different literals', z.intersection(z.literal('a'), z.literal('b')), ''],
  [
    'a record that requires its keys',
    z.object({ r: z.record(z.enum(['a']), z.date()) }),
    '/properties/r/additionalProperties',
  ],
  ['an input before a transform', z.object({ d: z.date().transform(String) }), '/properties/d'],
  ['an optional root', z.date().optional(), ''],
  ['an endless recursion', endless, '/properties/next'],
  ['a date of zod/mini', mini.object({ when: mini.date() }), '/properties/when'],
  ['a date of Valibot', v.object({ when: v.date() }), '/properties/when'],
  [
    'crossed lengths of Valibot',
    v.object({ s: v.pipe(v.string(), v.minLength(5), v.maxLength(3)) }),
    '/properties/s',
  ],
  ['never of Valibot', v.object({ a: v.array(v.never()), n: v.never() }), '/properties/n'],
  ['a bigint of Valibot in a union', v.union([v.bigint(), v.literal(1n)]), ''],
  [
    'a converting schema of Valibot',
    toStandardJsonSchema(v.object({ d: v.map(v.string(), v.string()) })),
    '/properties/d',
  ],
  ['a date of ArkType', type({ when: 'Date' }), '/properties/when'],
  ['a bigint of ArkType', type({ list: 'bigint[] > 1' }), '/properties/list/items'],
  ['undefined of ArkType', type({ u: 'undefined' }), '/properties/u'],
  ['false', jsonSchema(false), ''],
  [
    'a not of everything',
    jsonSchema({ type: 'object', properties: { a: { not: {} } }, required: ['a'] }),
    '/properties/a',
  ],
  ['an enum of another type', jsonSchema({ type: 'boolean', enum: ['true', 'false'] }), ''],
  ['a const out of bounds', jsonSchema({ const: 5, maximum: 3 }), ''],
  ['an enum without values', jsonSchema.unchecked({ enum: [] }), ''],
  [
    'a required name that is not allowed',
    jsonSchema.unchecked({ type: 'object', required: ['a'], additionalProperties: false }),
    '/required',
  ],
  [
    'more required names than allowed',
    jsonSchema.unchecked({ type: 'object', required: ['a', 'b'], maxProperties: 1 }),
    '',
  ],
  ['types of `allOf`', jsonSchema.unchecked({ allOf: [{ type: 'string' }, { type: 'number' }] }), ''],
  [
    'a reference to a dead definition',
    jsonSchema.unchecked({
      type: 'object',
      properties: { a: { $ref: '#/$defs/d' } },
      required: ['a'],
      $defs: { d: { type: 'string', minLength: 3, maxLength: 1 } },
    }),
    '/properties/a',
  ],
  ['items that must contain nothing', jsonSchema.unchecked({ type: 'array', contains: false }), '/contains'],
];

/** Schemas beside them. Each has a value, which its own library accepts. */
const POSSIBLE: readonly (readonly [
  string,
  { readonly '~standard': { validate(value: unknown): unknown } },
  unknown,
])[] = [
  ['a coerced date', z.object({ when: z.coerce.date() }), { when: '2026-01-01' }],
  ['a coerced bigint', z.coerce.bigint(), '5'],
  ['a date from a transform', z.iso.date().transform((text) => new Date(text)), '2026-01-01'],
  [
    'a date from a pipe',
    z
      .string()
      .transform((text) => new Date(text))
      .pipe(z.date()),
    '2026-01-01',
  ],
  ['a date from a preprocess', z.preprocess((value) => new Date(String(value)), z.date()), '2026-01-01'],
  [
    'a codec',
    z.codec(z.iso.datetime(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    }),
    '2026-01-01T00:00:00Z',
  ],
  ['an optional date', z.object({ when: z.date().optional() }), {}],
  ['a date with a default', z.object({ when: z.date().default(new Date(0)) }), {}],
  ['a date with a fallback', z.object({ when: z.date().catch(new Date(0)) }), { when: 'x' }],
  ['a nullable date', z.object({ when: z.date().nullable() }), { when: null }],
  ['a date in a union', z.union([z.date(), z.string()]), 'x'],
  ['a list of dates', z.array(z.date()), []],
  ['a record of dates', z.record(z.string(), z.date()), {}],
  ['a partial record of dates', z.partialRecord(z.enum(['a']), z.date()), {}],
  ['a tuple with an optional date', z.tuple([z.string(), z.date().optional()]), ['x']],
  ['a length after a trim', z.string().min(5).trim().max(3), '  a  '],
  ['a check in code', z.custom<Date>((value) => value === 'now'), 'now'],
  ['equal bounds', z.number().min(3).max(3), 3],
  ['a list whose items end in null', tree, { next: null }],
  ['a coerced number of zod/mini', mini.coerce.number(), '5'],
  [
    'a date of Valibot from a transform',
    v.pipe(
      v.string(),
      v.transform((text) => new Date(text)),
      v.date(),
    ),
    '2026-01-01',
  ],
  ['a length of Valibot after a trim', v.pipe(v.string(), v.minLength(5), v.trim(), v.maxLength(3)), '  a  '],
  ['a fallback of Valibot', v.object({ when: v.fallback(v.date(), new Date(0)) }), { when: 'x' }],
  ['an optional date of Valibot', v.object({ when: v.optional(v.date()) }), {}],
  ['a date of ArkType from a string', type({ when: 'string.date.parse' }), { when: '2026-01-01' }],
  ['an optional date of ArkType', type({ 'when?': 'Date' }), {}],
  [
    'a struct of Effect',
    Schema.toStandardSchemaV1(Schema.Struct({ d: Schema.DateFromString })),
    { d: '2026-01-01' },
  ],
  [
    'an optional part without a value',
    jsonSchema.unchecked({ type: 'object', properties: { a: { type: 'boolean', enum: ['x'] } } }),
    {},
  ],
  [
    'a reference beside rules that draft 07 ignores',
    jsonSchema.unchecked({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/a',
      type: 'string',
      definitions: { a: { type: 'number' } },
    }),
    5,
  ],
];

describe('a schema that no JSON fits', () => {
  it.each(IMPOSSIBLE)('%s is found', (_, schema, pointer) => {
    const found = findImpossible(schema);
    expect(found && found.path.map((key) => `/${key}`).join('')).toBe(pointer);
  });

  it('is refused with its place, the reason and the remedy', () => {
    const refuse = (): void =>
      assertPossible(z.object({ list: z.array(z.object({ when: z.date() })).min(1) }));
    expect(refuse).toThrow(UsageError);
    expect(refuse).toThrow(
      'because of `/properties/list/items/properties/when`: JSON has no `date`. Request a string there',
    );
  });
});

it.each(POSSIBLE)('%s has a value, so it is accepted', async (_, schema, value) => {
  expect(await schema['~standard'].validate(value)).not.toHaveProperty('issues', expect.anything());
  expect(findImpossible(schema)).toBeUndefined();
});

it('judges a schema that costs too much as possible', () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `p${index}`);
  const large = {
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
  };
  expect(findImpossible(jsonSchema.unchecked(large))).toBeUndefined();
});
