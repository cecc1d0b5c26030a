import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Schema } from 'effect';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lowerJsonSchema } from './dialects/lower-json-schema.ts';
import { jsonSchema } from './json-schema.ts';
import { toJsonSchema } from './to-json-schema.ts';
import { findUnexpressed } from './unexpressed.ts';

const found = (schema: unknown): string[] =>
  findUnexpressed(schema).map(({ path, keyword }) => `${keyword} /${path.join('/')}`);

describe('rules that JSON Schema cannot express are found', () => {
  it('in Zod, at any depth and in recursion', () => {
    const Tree = z.object({
      name: z.string().refine((name) => name !== ''),
      get kids() {
        return z.array(Tree);
      },
    });
    const schema = z.object({
      tree: Tree.optional(),
      list: z.array(z.union([z.string().transform(Number), z.string().trim()])),
      map: z.record(
        z.string(),
        z.int().superRefine(() => undefined),
      ),
      plain: z.string().min(2),
    });
    expect(found(schema)).toEqual([
      'refine /properties/tree/properties/name',
      'transform /properties/list/items/anyOf/0',
      'overwrite /properties/list/items/anyOf/1',
      'refine /properties/map/additionalProperties',
    ]);
  });

  it('in codecs of Zod', () => {
    const day = z.codec(z.string(), z.number(), { decode: Number, encode: String });
    expect(found(z.object({ day, on: z.stringbool(), plain: z.string().pipe(z.string()) }))).toEqual([
      'transform /properties/day',
      'transform /properties/on',
    ]);
  });

  it('in Valibot', () => {
    const schema = v.object({
      a: v.pipe(v.string(), v.transform(Number)),
      b: v.array(
        v.optional(
          v.pipe(
            v.string(),
            v.check((text) => text !== ''),
          ),
        ),
      ),
      c: v.pipe(v.string(), v.minLength(2)),
    });
    expect(found(schema)).toEqual(['transform /properties/a', 'check /properties/b/items']);
  });

  it('in ArkType', () => {
    const even = type('number').narrow((value) => value % 2 === 0);
    expect(
      found(type({ a: even, 'b?': even.array(), c: 'string.numeric.parse', d: 'string > 2' })).sort(),
    ).toEqual(['morph /properties/c', 'narrow /properties/a', 'narrow /properties/b/items']);
  });

  it('in Effect', () => {
    const odd = Schema.Number.check(Schema.makeFilter((value: number) => value % 2 === 1));
    const schema = Schema.Struct({
      a: odd,
      b: Schema.Array(odd),
      c: Schema.NumberFromString,
      d: Schema.String.check(Schema.isMinLength(2)),
    });
    expect(found(schema)).toEqual([
      'filter /properties/a',
      'filter /properties/b/items',
      'transform /properties/c',
    ]);
  });

  it('nowhere in a JSON Schema, a TypeBox schema, or a value that is not a schema', () => {
    for (const schema of [jsonSchema({ type: 'string' }), Type.Object({ a: Type.String() }), undefined, 1]) {
      expect(findUnexpressed(schema)).toEqual([]);
    }
  });
});

describe('a schema of each library is lowered', () => {
  const effect = Schema.toStandardJSONSchemaV1(
    Schema.toStandardSchemaV1(
      Schema.Struct({ title: Schema.String, note: Schema.optionalKey(Schema.String) }),
    ),
  );
  it.each([
    ['Zod', z.object({ title: z.string(), note: z.string().optional() })],
    ['Valibot', toStandardJsonSchema(v.object({ title: v.string(), note: v.optional(v.string()) }))],
    ['ArkType', type({ title: 'string', 'note?': 'string' })],
    [
      'TypeBox',
      jsonSchema.unchecked(Type.Object({ title: Type.String(), note: Type.Optional(Type.String()) })),
    ],
    ['Effect', effect],
  ])('%s', (_library, schema) => {
    const { schema: lowered, inverse } = lowerJsonSchema(toJsonSchema(schema), 'openai');
    expect(lowered).toMatchObject({
      properties: { title: { type: 'string' }, note: { type: ['string', 'null'] } },
      additionalProperties: false,
    });
    expect(lowered['required']).toEqual(['title', 'note']);
    expect(schema['~standard'].validate(inverse({ title: 'x', note: null }))).toMatchObject({
      value: { title: 'x' },
    });
  });

  it('but not an Effect schema that cannot convert itself, whose error explains how to', () => {
    expect(() => toJsonSchema(Schema.toStandardSchemaV1(Schema.String))).toThrow(/toStandardJSONSchemaV1/u);
  });
});

it('ends for schemas with shared parts or cycles', () => {
  let shared: z.ZodType = z.string().refine((text) => text !== '');
  for (let level = 0; level < 30; level += 1) shared = z.tuple([shared, shared]);
  expect(findUnexpressed(shared)).toHaveLength(1_000);
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const parts: z.ZodType[] = names.map(() =>
    z.lazy(() =>
      z.object(Object.fromEntries(names.map((name, index) => [name, parts[index] ?? z.string()]))),
    ),
  );
  expect(findUnexpressed(z.tuple([z.lazy(() => z.tuple(parts as [z.ZodType]))]))).toEqual([]);
});

it('refuses a schema that never ends', () => {
  const endless = (): z.ZodType => z.lazy(() => z.tuple([endless(), endless()]));
  expect(() => findUnexpressed(endless())).toThrowError(expect.objectContaining({ code: 'too-much-work' }));
});
