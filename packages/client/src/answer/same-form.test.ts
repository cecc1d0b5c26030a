import { expect, it } from 'vitest';
import { z } from 'zod';
import { lowerJsonSchema, SCHEMA_DIALECTS } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import { hasSameForm } from './same-form.ts';

const point = z.object({ x: z.number(), y: z.number() });
const SAME: readonly (readonly [z.ZodType, unknown])[] = [
  [z.string(), 'a'],
  [z.number().int().min(3), 4],
  [z.enum(['a', 'b']), 'a'],
  [z.literal('a'), 'a'],
  [z.email(), 'a@b.example'],
  [point, { x: 1, y: 2 }],
  [z.strictObject({ at: point, names: z.array(z.string()) }), { at: { x: 1, y: 2 }, names: ['a'] }],
  [z.object({ note: z.string().optional(), id: z.number() }), { id: 1 }],
  [z.object({ note: z.string().nullable() }), { note: null }],
  [z.union([z.string(), z.object({ kind: z.literal('a'), id: z.number() })]), { kind: 'a', id: 1 }],
  [z.array(z.array(z.boolean())), [[true]]],
];

it.each(SAME)('takes %# in its own form, in which each dialect returns it', (element, value) => {
  const schema = toJsonSchema(element);
  expect(hasSameForm(schema)).toBe(true);
  for (const dialect of Object.keys(SCHEMA_DIALECTS) as (keyof typeof SCHEMA_DIALECTS)[]) {
    const { inverse } = lowerJsonSchema(
      { type: 'object', properties: { value: schema }, required: ['value'] },
      dialect,
    );
    expect(inverse({ value })).toEqual({ value });
  }
});

interface Tree {
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({ children: z.array(z.lazy(() => tree)) });

it.each([
  ['any value', z.unknown()],
  ['a map', z.record(z.string(), z.number())],
  ['an open object', z.looseObject({ id: z.number() })],
  ['a tuple', z.tuple([z.number(), z.string()])],
  ['other literals', z.literal([1, 'a'])],
  ['a part of another form', z.object({ at: z.array(z.unknown()) })],
  ['a union with another form', z.union([z.string(), z.record(z.string(), z.number())])],
  ['recursion', tree],
])('does not take %s, which only a server can convert back', (_title, element) => {
  expect(hasSameForm(toJsonSchema(element))).toBe(false);
});
