import { expect, test } from 'vitest';
import { strictSchemaRefusal } from './strict-json-schema.ts';

const object = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

test('accepts a schema that keeps every rule', () => {
  const schema = {
    ...object({
      name: { type: 'string', pattern: '^a' },
      age: { type: ['integer', 'null'], minimum: 0 },
      tags: { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 },
      either: { anyOf: [object({ kind: { type: 'string', const: 'a' } }), { type: 'null' }] },
      next: { $ref: '#/$defs/node' },
      when: { type: 'string', format: 'date-time' },
    }),
    $defs: { node: object({ id: { type: 'string' } }) },
  };

  expect(strictSchemaRefusal(schema)).toBeUndefined();
});

test.each<[string, unknown, string]>([
  ['no schema', undefined, `got 'type: "None"'`],
  ['a root that is no object', { type: 'array' }, `got 'type: "array"'`],
  ['a union at the root', { ...object({}), anyOf: [] }, `not have 'anyOf' at the top level`],
  [
    'an open object, deep inside',
    object({ a: { type: 'array', items: { ...object({}), additionalProperties: true } } }),
    "In context=('properties', 'a', 'items'), 'additionalProperties' is required",
  ],
  [
    'a property that is not required',
    object({ a: { ...object({ b: { type: 'string' } }), required: [] } }),
    "In context=('properties', 'a'), 'required' is required to be supplied and to be an array including every key in properties. Missing 'b'.",
  ],
  [
    'a required key that is no property',
    { ...object({}), required: ['x'] },
    "Extra required key 'x' supplied.",
  ],
  [
    'an object without properties',
    { type: 'object', additionalProperties: false },
    'object schema missing properties',
  ],
  ['an array without items', object({ a: { type: 'array' } }), 'array schema missing items'],
  [
    'a keyword that is not supported',
    object({ a: { type: 'string', minLength: 1 } }),
    "'minLength' is not permitted.",
  ],
  ['allOf', object({ a: { allOf: [] } }), "In context=('properties', 'a'), 'allOf' is not permitted."],
  [
    'a format that is not supported',
    object({ a: { type: 'string', format: 'uri' } }),
    "'uri' is not a valid format.",
  ],
  ['a place without a type', object({ a: { enum: ['x'] } }), "schema must have a 'type' key."],
  [
    'words beside a reference',
    object({ a: { $ref: '#', title: 'x' } }),
    "$ref cannot have keywords {'title'}.",
  ],
  ['a reference elsewhere', object({ a: { $ref: 'https://example.com' } }), 'definitions in the same schema'],
  [
    'an open object in a definition',
    { ...object({}), $defs: { a: { type: 'object', properties: {} } } },
    "In context=('$defs', 'a'), 'additionalProperties'",
  ],
  [
    'an open object in a union',
    object({ a: { anyOf: [{ type: 'object', properties: {} }] } }),
    "In context=('properties', 'a', 'anyOf', '0'), 'additionalProperties'",
  ],
])('refuses %s, with its place', (_title, schema, complaint) => {
  expect(strictSchemaRefusal(schema)).toContain(complaint);
});

test('refuses more than ten levels of nesting', () => {
  let schema = object({});
  for (let depth = 0; depth < 10; depth += 1) schema = object({ a: schema });

  expect(strictSchemaRefusal(schema)).toContain('nested deeper than 10 levels');
});
