import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as mini } from 'zod/mini';
import { SchemaError } from '../errors/schema-error.ts';
import { findUnexpressed } from './unexpressed.ts';
import { hasCustomRules } from './zod-definition.ts';

/** One schema of each kind that contains another. */
const CONTAINERS: Readonly<Record<string, (inner: z.ZodType) => z.ZodType>> = {
  itself: (inner) => inner,
  object: (inner) => z.object({ a: z.string(), b: inner }),
  catchall: (inner) => z.object({}).catchall(inner),
  array: (inner) => z.array(inner),
  'value of a record': (inner) => z.record(z.string(), inner),
  'key of a map': (inner) => z.map(inner, z.number()),
  set: (inner) => z.set(inner),
  tuple: (inner) => z.tuple([z.string(), inner]),
  union: (inner) => z.union([z.number(), inner]),
  'left of an intersection': (inner) => z.intersection(inner, z.unknown()),
  'right of an intersection': (inner) => z.intersection(z.unknown(), inner),
  optional: (inner) => inner.optional(),
  nullable: (inner) => inner.nullable(),
  default: (inner) => inner.default('x'),
  catch: (inner) => inner.catch('x'),
  readonly: (inner) => inner.readonly(),
  promise: (inner) => z.promise(inner),
  'input of a pipe': (inner) => inner.pipe(z.unknown()),
  'output of a pipe': (inner) => z.unknown().pipe(inner),
  lazy: (inner) => z.lazy(() => inner),
  'two levels': (inner) => z.object({ list: z.array(z.object({ a: inner.optional() })) }),
};

const RULES: Readonly<Record<string, z.ZodType>> = {
  refine: z.string().refine(async () => true),
  superRefine: z.string().superRefine(async () => undefined),
  check: z.string().check(async () => undefined),
  custom: z.custom<string>(async () => true),
  transform: z.string().transform(async (text) => text),
  preprocess: z.preprocess(async (value) => value, z.string()),
  trim: z.string().trim(),
  'refine of Zod Mini': z.object({ a: mini.string().check(mini.refine(async () => true)) }),
};

const PLAIN: Readonly<Record<string, z.ZodType>> = {
  string: z.string().min(2).regex(/a/u),
  email: z.email(),
  coerced: z.coerce.number().int().multipleOf(2),
  choice: z.enum(['a', 'b']),
  described: z.string().describe('A name.').meta({ title: 'Name' }),
};

const isFound = (schema: z.ZodType): boolean => findUnexpressed(schema).length > 0;

describe.each(Object.entries(CONTAINERS))('inside: %s', (_container, put) => {
  it.each(Object.entries(RULES))('finds the custom rule of %s', (_rule, schema) => {
    expect(hasCustomRules(put(schema))).toBe(true);
    expect(isFound(put(schema))).toBe(true);
  });

  it.each(Object.entries(PLAIN))('finds none in %s', (_rule, schema) => {
    expect(hasCustomRules(put(schema))).toBe(false);
    expect(isFound(put(schema))).toBe(false);
  });
});

const zodLike = (def: object): object => ({ _zod: { def } });

const nested = (levels: number, inner: z.ZodType): z.ZodType =>
  levels === 0 ? inner : z.array(nested(levels - 1, inner));

it.each([
  [31, true],
  [32, false],
])('searches %s levels deep: %s', (levels, expected) => {
  const schema = nested(levels, z.string().trim());
  expect(hasCustomRules(schema)).toBe(expected);
  expect(isFound(schema)).toBe(expected);
});

it('ends in a cycle', () => {
  const Tree = z.object({
    get kids() {
      return z.array(Tree);
    },
  });
  expect(hasCustomRules(Tree)).toBe(false);
  expect(hasCustomRules(z.object({ Tree, a: z.string().trim() }))).toBe(true);
});

it('finds nothing in a value that is not a Zod schema', () => {
  expect(hasCustomRules({ kind: 'schema', pipe: [{ type: 'check' }] })).toBe(false);
});

it.each([
  [99_998, false],
  [99_999, true],
])('refuses to inspect a schema around %s others: %s', (count, expected) => {
  // Zod itself takes seconds to create as many.
  const schema = zodLike({ items: Array.from({ length: count }, () => zodLike({ type: 'string' })) });
  expect(hasCustomRules(schema)).toBe(expected);
  if (expected) expect(() => findUnexpressed(schema)).toThrow(SchemaError);
  else expect(findUnexpressed(schema)).toEqual([]);
});
