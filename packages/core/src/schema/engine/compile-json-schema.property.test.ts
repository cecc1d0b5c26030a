import {
  registerSchema,
  unregisterSchema,
  validate as validateByOracle,
} from '@hyperjump/json-schema/draft-2020-12';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import { compileJsonSchema } from './compile-json-schema.ts';
import type { JsonSchema } from './read-schema.ts';
import { document, value } from '../../../../../test/schema-suite/random-schemas.ts';

const KEYWORDS = (
  'type enum const properties items required $ref $id $anchor pattern allOf anyOf not if then format $dynamicRef ' +
  '$recursiveRef $schema minLength dependencies contains unevaluatedProperties definitions patternProperties'
).split(' ');
const SEED = 20_261_121;

it('agrees with the reference implementation on generated schemas and values', async () => {
  let index = 0;
  await fc.assert(
    fc.asyncProperty(document, fc.array(value, { minLength: 6, maxLength: 6 }), async (root, values) => {
      const uri = `https://oracle.test/generated-${(index += 1)}`;
      registerSchema(root as never, uri, 'https://json-schema.org/draft/2020-12/schema');
      const isValid = await validateByOracle(uri);
      unregisterSchema(uri);
      const validator = compileJsonSchema(root);
      for (const one of values) {
        const expected = isValid(one as never).valid;
        expect([JSON.stringify(one), validator.validate(one).valid]).toEqual([JSON.stringify(one), expected]);
      }
    }),
    { numRuns: matrixRuns(250, 1_500), seed: SEED },
  );
});

it('agrees with Ajv on generated schemas and values', () => {
  // Names of `Object.prototype` are a known weakness of it, and so are references beside
  // `unevaluated…`.
  const ajv = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false, logger: false });
  fc.assert(
    fc.property(document, fc.array(value, { minLength: 6, maxLength: 6 }), (root, values) => {
      const written = JSON.stringify([root, values]);
      fc.pre(!/__proto__|toString|unevaluated/.test(written));
      const isValid = ajv.compile(root as never);
      const validator = compileJsonSchema(root);
      for (const one of values) {
        expect([JSON.stringify(one), validator.validate(one).valid]).toEqual([
          JSON.stringify(one),
          isValid(one),
        ]);
      }
      ajv.removeSchema();
    }),
    { numRuns: matrixRuns(75, 400), seed: SEED },
  );
});

it('throws only a SchemaError, for any schema and value', () => {
  const keyword = fc.constantFrom(...KEYWORDS);
  const anything: fc.Arbitrary<unknown> = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom(
        '#',
        '#/properties/a',
        'string',
        '(',
        '^a+$',
        'date',
        'https://json-schema.org/draft/2019-09/schema',
      ),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(keyword, fc.string()), tie('any'), { maxKeys: 4 }),
    ),
  })).any;
  fc.assert(
    fc.property(anything, fc.anything(), (wild, one) => {
      try {
        // This test is about invalid schemas.
        const { valid } = compileJsonSchema(wild as JsonSchema).validate(one);
        expect(typeof valid).toBe('boolean');
      } catch (error) {
        expect(error).toBeInstanceOf(SchemaError);
      }
    }),
    { numRuns: matrixRuns(750, 5_000), seed: SEED },
  );
});

it('returns issues exactly when the value is invalid, each with a path into the value', () => {
  fc.assert(
    fc.property(document, value, (root, one) => {
      const result = compileJsonSchema(root).validate(one);
      if (result.valid) return;
      expect(result.issues.length).toBeGreaterThan(0);
      for (const { path } of result.issues) {
        let at: unknown = one;
        for (const key of path) {
          if (typeof at !== 'object' || at === null) throw new Error(`No member of a scalar: ${key}`);
          expect(Object.hasOwn(at, key)).toBe(true);
          at = Reflect.get(at, key);
        }
      }
    }),
    { numRuns: matrixRuns(250, 1_500), seed: SEED },
  );
});
