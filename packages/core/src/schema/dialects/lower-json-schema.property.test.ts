import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { canonicalJson } from '../canonical-json.ts';
import { compileJsonSchema } from '../engine/compile-json-schema.ts';
import type { SchemaDialect } from './profiles/dialect-profile.ts';
import { lowerJsonSchema, SCHEMA_DIALECTS } from './lower-json-schema.ts';
import { isRecord } from '../../kit/is-record.ts';
import type { SchemaObject } from './analysis/schema-place.ts';
import { findSchemaBreach } from './analysis/schema-rule.ts';

const DIALECTS = Object.keys(SCHEMA_DIALECTS) as SchemaDialect[];
const RUNS = { numRuns: matrixRuns(25, 150) };

const literal = fc.oneof(
  fc.constantFrom<unknown>('a', 'b', '1', 1, 2.5, true, false, null),
  fc.constantFrom<unknown>({ a: 1 }, [], ['x'], {}, { a: null }),
);

/** Schemas that declare the type of their values, as authors and libraries write them. */
const { schema: anySchema } = fc.letrec<{ schema: SchemaObject }>((tie) => {
  const part = tie('schema');
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom<SchemaObject>(
        { type: 'string' },
        { type: 'integer' },
        { type: 'number' },
        { type: 'boolean' },
        { type: 'null' },
        { type: ['string', 'null'] },
        { type: ['object', 'string'], properties: { a: { type: 'integer' } } },
        {},
        { $ref: '#/$defs/leaf' },
        { $ref: '#/$defs/tree' },
        { type: 'object' },
        { type: 'array' },
      ),
      literal.map((value): SchemaObject => ({ const: value })),
      fc
        .uniqueArray(literal, { minLength: 1, maxLength: 4, selector: (value) => JSON.stringify(value) })
        .map((values): SchemaObject => ({ enum: values })),
      fc
        .record({
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'c', '0'), part, { maxKeys: 3 }),
          requires: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
          rest: fc.option(fc.oneof(fc.constant(false), fc.constant(true), part), { nil: undefined }),
        })
        .map(({ properties, requires, rest }): SchemaObject => ({
          type: 'object',
          properties,
          required: Object.keys(properties).filter((_, index) => requires[index]),
          ...(rest !== undefined && { additionalProperties: rest }),
        })),
      part.map((values): SchemaObject => ({ type: 'object', additionalProperties: values })),
      part.map((items): SchemaObject => ({ type: 'array', items })),
      fc
        .tuple(
          fc.array(part, { minLength: 1, maxLength: 3 }),
          fc.option(part, { nil: undefined }),
          fc.option(fc.nat(2), { nil: undefined }),
        )
        .map(([prefixItems, items, minItems]): SchemaObject => ({
          type: 'array',
          prefixItems,
          items: items ?? false,
          ...(minItems !== undefined && { minItems: Math.min(minItems, prefixItems.length) }),
        })),
      fc.array(part, { minLength: 1, maxLength: 3 }).map((anyOf): SchemaObject => ({ anyOf })),
      fc.tuple(part, part).map(([a, b]): SchemaObject => ({
        oneOf: [
          { type: 'object', properties: { kind: { const: 'a' }, a }, required: ['kind', 'a'] },
          { type: 'object', properties: { kind: { const: 'b' }, b }, required: ['kind'] },
        ],
      })),
      part.map((value): SchemaObject => ({
        allOf: [
          { type: 'object', properties: { a: value } },
          { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
        ],
      })),
    ),
  };
});

const document = anySchema.map((schema): SchemaObject => ({
  ...schema,
  $defs: {
    leaf: {
      type: 'object',
      properties: { n: { type: 'integer' }, m: { type: ['string', 'null'] } },
      required: ['n'],
    },
    tree: {
      type: 'object',
      properties: {
        v: { type: 'string' },
        kids: { type: 'array', items: { $ref: '#/$defs/tree' } },
        next: { $ref: '#/$defs/tree' },
      },
      required: ['v', 'kids'],
    },
  },
}));

/** Values of a lowered schema: only the forms that a provider receives. */
function valuesOf(schema: unknown, root: SchemaObject, depth: number): fc.Arbitrary<unknown> {
  if (
    !isRecord(schema) ||
    Object.keys(schema).every((key) => ['description', '$defs', 'title'].includes(key))
  ) {
    return fc.constantFrom<unknown>(1, 'x', null, { a: 1 });
  }
  const below = (part: unknown): fc.Arbitrary<unknown> => valuesOf(part, root, depth - 1);
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].replace('#/$defs/', '');
    return schema['$ref'] === '#'
      ? below(root)
      : below((root['$defs'] as SchemaObject)[name] ?? atPointer(root, schema['$ref']));
  }
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const list = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(list)) {
    const options = depth <= 0 ? simplest(list) : list;
    return fc.oneof(...options.map(below));
  }
  const types = Array.isArray(schema['type']) ? (schema['type'] as string[]) : [String(schema['type'])];
  const chosen = depth <= 0 && types.includes('null') ? ['null'] : types;
  return fc.oneof(...chosen.map((type) => typed(type, schema, below, depth)));
}

function simplest(list: readonly unknown[]): unknown[] {
  const ends = list.filter((part) => isRecord(part) && !('$ref' in part) && part['type'] !== 'object');
  return ends.length > 0 ? ends : [...list];
}

function atPointer(root: SchemaObject, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (value, key) => (value as SchemaObject)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    );
}

function typed(
  type: string,
  schema: SchemaObject,
  below: (part: unknown) => fc.Arbitrary<unknown>,
  depth: number,
): fc.Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer();
  if (type === 'number') return fc.constantFrom(1, 2.5, -3);
  if (type === 'string') {
    return String(schema['description']).includes('JSON text')
      ? fc.constantFrom('{"v":"x","kids":[]}', '{"v":"y","kids":[{"v":"z","kids":[]}]}')
      : fc.constantFrom('x', 'a', '1', '{}');
  }
  if (type === 'array') {
    const prefix = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : [];
    const least = Number(schema['minItems'] ?? 0);
    const most = Math.max(
      least,
      Math.min(Number(schema['maxItems'] ?? Infinity), depth <= 0 ? least : least + 2),
    );
    return fc
      .integer({ min: least, max: most })
      .chain((length) =>
        fc.tuple(...Array.from({ length }, (_, index) => below(prefix[index] ?? schema['items'] ?? {}))),
      );
  }
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const names = Object.keys(properties);
  const wanted = depth <= 0 ? names.filter((name) => required.includes(name)) : names;
  const named = fc.record(Object.fromEntries(wanted.map((name) => [name, below(properties[name])])), {
    requiredKeys: required.filter((name) => wanted.includes(name)) as never[],
  });
  const rest = schema['additionalProperties'];
  if (rest === false || rest === undefined || depth <= 0) return named;
  return fc
    .tuple(named, fc.dictionary(fc.constantFrom('k1', 'k2'), below(rest), { maxKeys: 2 }))
    .map(([own, further]) => ({ ...further, ...(own as object) }));
}

describe.each(DIALECTS)('lowering for %s', (dialect) => {
  it('returns a schema that keeps every rule and does not change when lowered again', () => {
    fc.assert(
      fc.property(document, (schema) => {
        const lowered = lowerJsonSchema(schema, dialect);
        expect(findSchemaBreach(lowered.schema, SCHEMA_DIALECTS[dialect].rules)).toBeUndefined();
        const again = lowerJsonSchema(lowered.schema, dialect);
        expect(canonicalJson(again.schema)).toBe(canonicalJson(lowered.schema));
        expect(again.losses).toEqual([]);
      }),
      RUNS,
    );
  });

  it('restores every answer of a lossless schema to one that the schema accepts', () => {
    fc.assert(
      fc.property(
        document.chain((schema) => {
          const lowered = lowerJsonSchema(schema, dialect);
          return fc.tuple(
            fc.constant(schema),
            fc.constant(lowered),
            valuesOf(lowered.schema, lowered.schema, 5),
          );
        }),
        ([schema, lowered, answer]) => {
          fc.pre(lowered.losses.every(({ reason }) => reason.startsWith('absent and `null`')));
          // Unchanged parts have keywords that these values ignore.
          if (dialect === 'claude-code') fc.pre(compileJsonSchema(lowered.schema).validate(answer).valid);
          expect(compileJsonSchema(lowered.schema).validate(answer)).toEqual({ valid: true });
          const value = lowered.inverse(answer);
          const result = compileJsonSchema(schema).validate(value);
          if (!result.valid) {
            throw new Error(JSON.stringify({ lowered: lowered.schema, answer, value, result }));
          }
        },
      ),
      RUNS,
    );
  });
});
