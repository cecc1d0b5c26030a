/** Owns which types a schema speaks of, and which keyword is about which. Pure. */
import type { SchemaObject } from './schema-place.ts';

const TYPES = ['boolean', 'integer', 'number', 'string', 'array', 'object', 'null'];
/** Keywords that are about values of one type only. */
const TYPE_OF_KEYWORD: Readonly<Record<string, string>> = {
  properties: 'object',
  patternProperties: 'object',
  additionalProperties: 'object',
  required: 'object',
  propertyNames: 'object',
  minProperties: 'object',
  maxProperties: 'object',
  dependentRequired: 'object',
  items: 'array',
  prefixItems: 'array',
  minItems: 'array',
  maxItems: 'array',
  uniqueItems: 'array',
  contains: 'array',
  minLength: 'string',
  maxLength: 'string',
  pattern: 'string',
  format: 'string',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
};

/** The types that are named, else those that the keywords speak of. */
export function typesOf(schema: SchemaObject): readonly string[] {
  const { type } = schema;
  const named = (Array.isArray(type) ? (type as unknown[]) : [type]).filter(
    (name) => typeof name === 'string',
  );
  const spoken = Object.keys(schema).flatMap((keyword) => TYPE_OF_KEYWORD[keyword] ?? []);
  const types = new Set(named.length > 0 ? named : spoken);
  if (schema['nullable'] === true && types.size > 0) types.add('null');
  return TYPES.filter((name) => types.has(name) && !(name === 'integer' && types.has('number')));
}

/** What of a schema of several types is about one of them. */
export function keywordsOf(schema: SchemaObject, type: string): SchemaObject {
  const isAbout = (keyword: string): boolean => {
    const about = TYPE_OF_KEYWORD[keyword];
    return about === undefined
      ? !['title', 'description', 'default', 'examples', 'nullable'].includes(keyword)
      : about === type || (about === 'number' && type === 'integer');
  };
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isAbout(keyword)));
}
