/** Expected values of JSON Schema keywords, for problems that do not quote the schema. Pure. */

const A_SCHEMA = 'Must be a schema, which is an object or a boolean.';
const SCHEMAS_BY_NAME = 'Must be an object whose members are schemas.';
const SCHEMAS = 'Must be a list of at least one schema.';
const NAMES = 'Must be a list of property names, which are strings.';
const COUNT = 'Must be a whole number of 0 or more.';
const NUMBER = 'Must be a number.';
const TEXT = 'Must be a string.';
const REFERENCE = 'The reference has no target in the schema. Correct it, or add the target to $defs.';

const EXPECTED: Readonly<Record<string, string>> = {
  type: 'Must be "array", "boolean", "integer", "null", "number", "object" or "string", or a list of them.',
  enum: 'Must be a list of values.',
  required: NAMES,
  properties: SCHEMAS_BY_NAME,
  patternProperties: SCHEMAS_BY_NAME,
  dependentSchemas: SCHEMAS_BY_NAME,
  dependentRequired: 'Must be an object whose members are lists of property names.',
  $defs: SCHEMAS_BY_NAME,
  definitions: SCHEMAS_BY_NAME,
  items: 'Must be a schema. A list of schemas is `prefixItems`.',
  prefixItems: SCHEMAS,
  allOf: SCHEMAS,
  anyOf: SCHEMAS,
  oneOf: SCHEMAS,
  uniqueItems: 'Must be true or false.',
  multipleOf: 'Must be a number of more than 0.',
  minLength: COUNT,
  maxLength: COUNT,
  minItems: COUNT,
  maxItems: COUNT,
  minProperties: COUNT,
  maxProperties: COUNT,
  minContains: COUNT,
  maxContains: COUNT,
  minimum: NUMBER,
  maximum: NUMBER,
  exclusiveMinimum: NUMBER,
  exclusiveMaximum: NUMBER,
  pattern: TEXT,
  format: TEXT,
  $id: 'Must be a URI reference.',
  $ref: REFERENCE,
  $dynamicRef: REFERENCE,
};

/** Keywords whose members are named by the client. */
const BY_NAME: Readonly<Record<string, string>> = {
  properties: A_SCHEMA,
  patternProperties: A_SCHEMA,
  dependentSchemas: A_SCHEMA,
  dependencies: 'Must be a schema, or a list of property names.',
  dependentRequired: NAMES,
  $defs: A_SCHEMA,
  definitions: A_SCHEMA,
};

/** Returns the expectation of the schema's part at `path`. */
export function expectedAt(path: readonly (string | number)[]): string {
  const [parent, key] = [path.at(-2), path.at(-1)];
  if (typeof key !== 'string') return A_SCHEMA;
  // A property can have the name of a keyword.
  const isNamed =
    typeof parent === 'string' && Object.hasOwn(BY_NAME, parent) && path.at(-3) !== 'properties';
  if (isNamed) return BY_NAME[parent] ?? A_SCHEMA;
  return Object.hasOwn(EXPECTED, key) ? (EXPECTED[key] ?? A_SCHEMA) : A_SCHEMA;
}
