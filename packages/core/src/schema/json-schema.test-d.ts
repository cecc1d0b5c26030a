import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expectTypeOf, it } from 'vitest';
import type { FromJsonSchema } from './from-json-schema.ts';
import type { JsonSchema } from './engine/read-schema.ts';
import { jsonSchema } from './json-schema.ts';

type Inferred<TSchema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<TSchema>;

const plain: JsonSchema = { type: 'string' };
const object = jsonSchema({
  type: 'object',
  properties: {
    title: { type: 'string' },
    count: { type: ['integer', 'null'] },
    kind: { enum: ['a', 'b', 1] },
    done: { const: true },
    tags: { type: 'array', items: { type: 'string' } },
    inner: {
      type: 'object',
      properties: { x: { type: 'number' } },
      required: ['x'],
      additionalProperties: false,
    },
  },
  required: ['title', 'kind', 'inner', 'extra'],
});

describe('jsonSchema', () => {
  it('infers an object with required and optional properties', () => {
    expectTypeOf<Inferred<typeof object>>().toEqualTypeOf<{
      title: string;
      kind: 'a' | 'b' | 1;
      inner: { x: number };
      extra: unknown;
      count?: number | null;
      done?: true;
      tags?: string[];
    }>();
  });

  it('infers scalars, lists of types and booleans', () => {
    expectTypeOf<FromJsonSchema<{ type: 'integer' }>>().toEqualTypeOf<number>();
    expectTypeOf<FromJsonSchema<{ type: readonly ['string', 'null'] }>>().toEqualTypeOf<string | null>();
    expectTypeOf<FromJsonSchema<true>>().toBeUnknown();
    expectTypeOf<FromJsonSchema<false>>().toBeNever();
    expectTypeOf<FromJsonSchema<{ description: 'x' }>>().toBeUnknown();
  });

  it('infers maps, arrays and tuples', () => {
    expectTypeOf<FromJsonSchema<{ type: 'object' }>>().toEqualTypeOf<{ [key: string]: unknown }>();
    expectTypeOf<
      FromJsonSchema<{ type: 'object'; additionalProperties: { type: 'number' } }>
    >().toEqualTypeOf<{ [key: string]: number }>();
    expectTypeOf<FromJsonSchema<{ type: 'array' }>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<
      FromJsonSchema<{
        type: 'array';
        prefixItems: readonly [{ type: 'string' }, { type: 'number' }];
        minItems: 2;
        items: false;
      }>
    >().toEqualTypeOf<[string, number]>();
    expectTypeOf<
      FromJsonSchema<{ type: 'array'; prefixItems: readonly [{ type: 'string' }]; items: { type: 'null' } }>
    >().toEqualTypeOf<[string?, ...null[]]>();
  });

  it('infers alternatives and what all have', () => {
    expectTypeOf<
      FromJsonSchema<{ anyOf: readonly [{ type: 'string' }, { type: 'number' }] }>
    >().toEqualTypeOf<string | number>();
    expectTypeOf<FromJsonSchema<{ oneOf: readonly [{ const: 'a' }, { const: 'b' }] }>>().toEqualTypeOf<
      'a' | 'b'
    >();
    expectTypeOf<
      FromJsonSchema<{
        allOf: readonly [
          { type: 'object'; properties: { a: { type: 'string' } }; required: readonly ['a'] },
          { type: 'object'; properties: { b: { type: 'number' } }; required: readonly ['b'] },
        ];
      }>
    >().toExtend<{ a: string; b: number }>();
  });

  it('follows references inside the schema, also to itself', () => {
    const tree = jsonSchema({
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            label: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['label', 'children'],
        },
      },
    });
    type Tree = Inferred<typeof tree>;
    expectTypeOf<Tree['label']>().toBeString();
    expectTypeOf<Tree['children'][number]['children'][number]['label']>().toBeString();
    expectTypeOf<FromJsonSchema<{ $ref: 'https://example.test/x' }>>().toBeUnknown();
  });

  it('infers unknown for a schema that is not a literal', () => {
    expectTypeOf<Inferred<ReturnType<typeof wrapPlain>>>().toBeUnknown();
    const claimed = jsonSchema.unchecked<{ a: string }>(plain);
    expectTypeOf<Inferred<typeof claimed>>().toEqualTypeOf<{ a: string }>();
  });

  it('does not accept a string as a schema', () => {
    // @ts-expect-error -- a schema is an object or a boolean
    jsonSchema('{"type":"string"}');
  });
});

const wrapPlain = () => jsonSchema(plain);
