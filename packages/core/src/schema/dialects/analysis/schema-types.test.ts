/** Checks the types that a schema names, or to which its keywords apply. */
import { expect, it } from 'vitest';
import type { SchemaObject } from './schema-place.ts';
import { keywordsOf, typesOf } from './schema-types.ts';

it.each<[SchemaObject, readonly string[]]>([
  [{}, []],
  [{ type: 'string' }, ['string']],
  [{ type: ['null', 'object', 'boolean'] }, ['boolean', 'object', 'null']],
  [{ type: ['integer', 'number'] }, ['number']],
  [{ type: 'integer', minLength: 1 }, ['integer']],
  [{ type: ['string', 7, 'other'] }, ['string']],
  [{ properties: {} }, ['object']],
  [{ patternProperties: {}, additionalProperties: false, required: [] }, ['object']],
  [{ propertyNames: {} }, ['object']],
  [{ minProperties: 1 }, ['object']],
  [{ maxProperties: 1 }, ['object']],
  [{ dependentRequired: {} }, ['object']],
  [{ items: {} }, ['array']],
  [{ prefixItems: [] }, ['array']],
  [{ minItems: 1 }, ['array']],
  [{ maxItems: 1 }, ['array']],
  [{ uniqueItems: true }, ['array']],
  [{ contains: {} }, ['array']],
  [{ minLength: 1 }, ['string']],
  [{ maxLength: 1 }, ['string']],
  [{ pattern: 'a' }, ['string']],
  [{ minimum: 1 }, ['number']],
  [{ maximum: 1 }, ['number']],
  [{ exclusiveMinimum: 1 }, ['number']],
  [{ exclusiveMaximum: 1 }, ['number']],
  [{ multipleOf: 1 }, ['number']],
  [{ maximum: 1, minItems: 1, title: 'x' }, ['number', 'array']],
  [{ format: 'date-time' }, ['string']],
  [{ format: 'byte' }, ['string']],
  [{ format: 'int32' }, []],
  [{ format: 7 }, []],
  [{ type: 'string', nullable: true }, ['string', 'null']],
  [{ type: 'string', nullable: false }, ['string']],
  [{ nullable: true }, []],
])('%j describes %j', (schema, types) => {
  expect(typesOf(schema)).toEqual(types);
});

it.each([
  ['string', { minLength: 1, format: 'date', type: 'x', enum: [1], $ref: '#' }],
  ['integer', { minimum: 1, type: 'x', enum: [1], $ref: '#' }],
  ['number', { minimum: 1, type: 'x', enum: [1], $ref: '#' }],
  ['array', { items: {}, type: 'x', enum: [1], $ref: '#' }],
  ['object', { properties: {}, type: 'x', enum: [1], $ref: '#' }],
  ['null', { type: 'x', enum: [1], $ref: '#' }],
])('of a schema with several types, %s has its own keywords and those of every type', (type, kept) => {
  const annotations = { title: 't', description: 'd', default: 1, examples: [], nullable: true };
  const all = {
    minLength: 1,
    format: 'date',
    minimum: 1,
    items: {},
    properties: {},
    type: 'x',
    enum: [1],
    $ref: '#',
  };
  expect(keywordsOf({ ...all, ...annotations }, type)).toEqual(kept);
});
