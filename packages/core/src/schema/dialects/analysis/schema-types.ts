/** Types that a schema describes, and the type to which each keyword applies. Pure. */
import { FORMATS } from '../../engine/evaluation/formats.ts';
import type { SchemaObject } from './schema-place.ts';

const TYPES = ['boolean', 'integer', 'number', 'string', 'array', 'object', 'null'];
/** Keywords that apply to values of one type only. */
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

/** Returns the named types, else those to which the keywords apply. */
export function typesOf(schema: SchemaObject): readonly string[] {
  const { type } = schema;
  const named = (Array.isArray(type) ? (type as unknown[]) : [type]).filter(
    (name) => typeof name === 'string',
  );
  const spoken = Object.keys(schema).flatMap((keyword) =>
    keyword === 'format' && !isStringFormat(schema[keyword]) ? [] : (TYPE_OF_KEYWORD[keyword] ?? []),
  );
  const types = new Set(named.length > 0 ? named : spoken);
  if (schema['nullable'] === true && types.size > 0) types.add('null');
  return TYPES.filter((name) => types.has(name) && !(name === 'integer' && types.has('number')));
}

const OTHER_STRING_FORMATS: ReadonlySet<string> = new Set(
  'idn-email idn-hostname iri iri-reference uri-template byte binary password'.split(' '),
);

/** A custom format can be one of numbers. */
function isStringFormat(format: unknown): boolean {
  return typeof format === 'string' && (FORMATS.has(format) || OTHER_STRING_FORMATS.has(format));
}

/** Returns the keywords of a schema with several types that apply to one of them. */
export function keywordsOf(schema: SchemaObject, type: string): SchemaObject {
  const isAbout = (keyword: string): boolean => {
    const about = TYPE_OF_KEYWORD[keyword];
    return about === undefined
      ? !['title', 'description', 'default', 'examples', 'nullable'].includes(keyword)
      : about === type || (about === 'number' && type === 'integer');
  };
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isAbout(keyword)));
}
