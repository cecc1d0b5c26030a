/** Generators of JSON Schemas and values, for property tests. */
import * as fc from 'fast-check';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';

/** Keywords with one schema. */
const APPLICATORS =
  'additionalProperties propertyNames items contains not if then else unevaluatedProperties unevaluatedItems'.split(
    ' ',
  );
const names = fc.constantFrom('a', 'b', 'c', 'ab', '__proto__', 'toString');
const text = fc.constantFrom('', 'a', 'b', 'ab', 'abc', '😀', '1');
const number = fc.constantFrom(-1, 0, 1, 1.5, 2, 3, 6);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
/** JSON values. */
export const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
const count = fc.nat({ max: 3 });

const schema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const schemas = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(names, tie('schema'), { maxKeys: 3, noNullPrototype: true });
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    ...Object.fromEntries(APPLICATORS.map((keyword) => [keyword, tie('schema')])),
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
    const: value,
    minimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(1, 2, 1.5, 3),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('^a', 'b$', '^.$', 'a|b', '^(?!a)'),
    properties: byName,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '^.$'), tie('schema'), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    required: fc.uniqueArray(names, { maxLength: 2 }),
    minProperties: count,
    maxProperties: count,
    dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    dependentSchemas: byName,
    prefixItems: schemas,
    minContains: count,
    maxContains: count,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    $ref: fc.constantFrom('#/$defs/one', '#/$defs/two'),
  };
  const some = fc
    .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 4 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword] ?? value]))),
    );
  return { schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), some) };
}).schema;

/** A schema with definitions that have no references, so that there is no cycle. */
export const document: fc.Arbitrary<JsonSchema> = fc
  .tuple(schema, schema, schema)
  .map(([root, one, two]) => ({
    allOf: [root],
    $defs: { one: withoutReferences(one), two: withoutReferences(two) },
  }));

function withoutReferences(part: JsonSchema): unknown {
  return JSON.parse(
    JSON.stringify(part, (key, member: unknown) =>
      key === '$ref' && typeof member === 'string' ? undefined : member,
    ),
  );
}
