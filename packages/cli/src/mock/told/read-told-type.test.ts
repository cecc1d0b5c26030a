import { expect, it } from 'vitest';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
import { sampleValue } from '@truecast/core/internal/schema/sample/sample-value';
import { toldType } from '@truecast/core/internal/schema/told/told-type';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import { FORM_CASES } from '../../../../../test/engine/form-cases.ts';
import { readPublicSchemas } from '../../../../../test/grammar-engines/public-schemas.ts';
import { readToldType } from './read-told-type.ts';

const LIMITS = { maxBytes: 10_000_000, maxNodes: 1_000_000, maxWork: 5_000_000 };

/** False also for a schema that refers to other documents. */
function fits(schema: Readonly<Record<string, unknown>>, value: unknown): boolean {
  try {
    return compileJsonSchema(schema, LIMITS).validate(value).valid;
  } catch (error) {
    if (SchemaError.isInstance(error)) return false;
    throw error;
  }
}

/** Returns whether a value that is made from the type alone fits the schema. */
function holds(schema: Readonly<Record<string, unknown>>): boolean {
  const read = readToldType(`${toldType(schema).text}\nFor example (the shape, not the values):\n{"a":…}`);
  return read !== undefined && fits(schema, sampleValue(read));
}

/** Schemas of which a right answer can be made at all, and those whose type does not lead to one. */
function readBack(schemas: readonly Readonly<Record<string, unknown>>[]): readonly unknown[][] {
  const judged = schemas.filter((schema) => fits(schema, sampleValue(schema)));
  return [judged, judged.filter((schema) => !holds(schema))];
}

it('an answer that is made from the type alone fits the schema of each form of the engine proof', () => {
  const [judged, lost] = readBack(FORM_CASES.map(({ schema }) => ({ ...(toJsonSchema(schema) as object) })));
  // One is a circle without an end.
  expect([judged?.length, lost]).toEqual([FORM_CASES.length - 1, []]);
});

it('the same for public schemas', async () => {
  const schemas = (await readPublicSchemas()).filter((_, index) => index % 5 === 0);
  const [judged, lost] = readBack(schemas.map(({ schema }) => schema));
  expect(judged?.length).toBeGreaterThan(200);
  expect(lost).toEqual([]);
});

it.each(['', 'Fix it.', '{ "a": ', '{ a: string }', '{ "a" string }', '('.repeat(1_000)])(
  'reads no type in %j',
  (text) => {
    expect(readToldType(text)).toBeUndefined();
  },
);
