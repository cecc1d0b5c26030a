/** No schema that a value fits is impossible: generated schemas, those of the official suite, and samples. */
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matrixRuns } from '../../../../../../test/matrix.ts';
import { SchemaError } from '../../../errors/schema-error.ts';
import { compileJsonSchema } from '../../engine/compile-json-schema.ts';
import type { JsonSchema } from '../../engine/read-schema.ts';
import { document, value } from '../../../../../../test/schema-suite/random-schemas.ts';
import { sampleValue } from '../../sample/sample-value.ts';
import { ImpossibleParts } from './impossible-parts.ts';

const SEED = 20_261_126;

const isImpossible = (schema: JsonSchema): boolean => new ImpossibleParts(schema).has(schema);

it('is right about each generated schema that a value or its sample fits', () => {
  let fitted = 0;
  let impossible = 0;
  fc.assert(
    fc.property(document, fc.array(value, { minLength: 8, maxLength: 8 }), (schema, values) => {
      const validator = compileJsonSchema(schema);
      const fits = [...values, sampleValue(schema)].find((one) => validator.validate(one).valid);
      if (isImpossible(schema)) impossible += 1;
      if (fits === undefined) return;
      fitted += 1;
      expect([JSON.stringify(fits), isImpossible(schema)]).toEqual([JSON.stringify(fits), false]);
    }),
    { numRuns: matrixRuns(1_500, 4_000), seed: SEED },
  );
  // Both cases occur often.
  expect(fitted).toBeGreaterThan(1_000);
  expect(impossible).toBeGreaterThan(100);
});

interface KeywordCase {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly valid: readonly unknown[];
}

it('is right about each schema of the keyword cases that has a value', () => {
  const text = readFileSync(new URL('../../engine/keyword-cases.json', import.meta.url), 'utf8');
  const cases = (JSON.parse(text) as readonly KeywordCase[]).filter(({ valid }) => valid.length > 0);
  expect(cases.length).toBeGreaterThan(100);
  expect(cases.filter(({ schema }) => isImpossible(schema)).map(({ name }) => name)).toEqual([]);
});

it('ends for any object, whatever its keywords contain', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom('allOf', 'properties', 'items', '$ref'),
      (part, name) => {
        const schema = { [name]: part, required: ['a'] } as unknown as JsonSchema;
        try {
          const validator = compileJsonSchema(schema);
          if (validator.validate(sampleValue(schema)).valid) expect(isImpossible(schema)).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(SchemaError);
          expect(typeof isImpossible(schema)).toBe('boolean');
        }
      },
    ),
    { numRuns: matrixRuns(350, 2_000), seed: SEED },
  );
});
