/** Lowering of schemas with parts that cannot have a value: optional ones are left out, with a loss that names them. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { compileJsonSchema } from '../engine/compile-json-schema.ts';
import { sampleValue } from '../sample/sample-value.ts';
import type { SchemaObject } from './analysis/schema-place.ts';
import { ImpossibleParts } from './impossible/impossible-parts.ts';
import { lowerJsonSchema, SCHEMA_DIALECTS } from './lower-json-schema.ts';
import type { SchemaDialect } from './profiles/dialect-profile.ts';

const DIALECTS = Object.keys(SCHEMA_DIALECTS) as SchemaDialect[];

/** A boolean with the texts of booleans, as real schemas have it. */
const DEAD = { type: 'boolean', enum: ['true', 'false'] } as const;
const name = { type: 'string' } as const;

/** Schemas with one dead part, its place, and an answer. */
const CASES = {
  'an optional property': [
    { type: 'object', properties: { name, builtin: DEAD }, required: ['name'] },
    ['properties', 'builtin'],
    { name: 'x' },
  ],
  'an alternative': [
    { type: 'object', properties: { a: { anyOf: [DEAD, { type: 'number' }] } }, required: ['a'] },
    ['properties', 'a', 'anyOf', 0],
    { a: 1 },
  ],
  'the items of a list': [
    { type: 'object', properties: { a: { type: 'array', items: DEAD } }, required: ['a'] },
    ['properties', 'a', 'items'],
    { a: [] },
  ],
  'the values of a map': [
    { type: 'object', properties: { name }, required: ['name'], additionalProperties: DEAD },
    ['additionalProperties'],
    { name: 'x' },
  ],
  'an optional object that requires it': [
    {
      type: 'object',
      properties: { name, a: { type: 'object', properties: { no: DEAD }, required: ['no'] } },
      required: ['name'],
    },
    ['properties', 'a'],
    { name: 'x' },
  ],
  'an optional reference to it': [
    {
      type: 'object',
      properties: { name, a: { $ref: '#/$defs/dead' } },
      required: ['name'],
      $defs: { dead: DEAD },
    },
    ['properties', 'a'],
    { name: 'x' },
  ],
} as const;

/** Schemas that declare the type of their values. A third of their leaves are dead. */
const typedSchema: fc.Arbitrary<SchemaObject> = fc.letrec<{ part: SchemaObject }>((tie) => {
  const part = tie('part');
  const names = fc.constantFrom('a', 'b', 'c');
  return {
    part: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom<SchemaObject>(
        { type: 'string' },
        { type: 'integer', minimum: 1, maximum: 9 },
        { type: 'null' },
        { type: ['string', 'null'] },
        { enum: ['a', 1] },
        { type: 'boolean', enum: ['a', true] },
        DEAD,
        { type: 'string', minLength: 3, maxLength: 1 },
        { type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 },
        { not: {} },
      ),
      fc
        .tuple(fc.dictionary(names, part, { maxKeys: 3, noNullPrototype: true }), fc.uniqueArray(names))
        .map(([properties, required]): SchemaObject => ({
          type: 'object',
          properties,
          required: required.filter((each) => Object.hasOwn(properties, each)),
          additionalProperties: false,
        })),
      part.map((additionalProperties): SchemaObject => ({ type: 'object', additionalProperties })),
      fc
        .tuple(part, fc.nat(2))
        .map(([items, minItems]): SchemaObject => ({ type: 'array', items, minItems, maxItems: 2 })),
      fc
        .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.nat(3))
        .map(([prefixItems, minItems]): SchemaObject => ({
          type: 'array',
          prefixItems,
          items: false,
          minItems: Math.min(minItems, prefixItems.length),
        })),
      fc.array(part, { minLength: 1, maxLength: 3 }).map((anyOf): SchemaObject => ({ anyOf })),
    ),
  };
}).part;

describe.each(DIALECTS)('lowering for %s', (dialect) => {
  it.each(Object.entries(CASES))(
    'leaves out %s without a value, and names the loss',
    (_, [schema, path, answer]) => {
      const { schema: lowered, losses, inverse } = lowerJsonSchema(schema, dialect);
      expect(losses).toContainEqual(
        expect.objectContaining({ path, reason: expect.stringContaining('it is not requested: ') as string }),
      );
      expect(JSON.stringify(lowered)).not.toContain('"enum":["true","false"]');
      expect(compileJsonSchema(schema).validate(inverse(answer)).valid).toBe(true);
    },
  );

  it('refuses the whole schema only for a required part', () => {
    const schema = { type: 'object', properties: { a: DEAD }, required: ['a'] };
    expect(() => lowerJsonSchema(schema, dialect)).toThrow(
      /because of `\/properties\/a`: none of its listed values fits its other keywords/u,
    );
  });

  it('refuses no generated schema that a value fits for a part without one', () => {
    let dead = 0;
    fc.assert(
      fc.property(typedSchema, (schema) => {
        const parts = new ImpossibleParts(schema);
        const fits = compileJsonSchema(schema).validate(sampleValue(schema)).valid;
        if (fits) expect(parts.has(schema)).toBe(false);
        fc.pre(!parts.has(schema));
        const { losses } = lowerJsonSchema(schema, dialect);
        if (losses.some(({ reason }) => reason.startsWith('it is not requested'))) dead += 1;
      }),
      { numRuns: matrixRuns(100, 500), seed: 20_261_126 },
    );
    expect(dead).toBeGreaterThan(50);
  });
});
