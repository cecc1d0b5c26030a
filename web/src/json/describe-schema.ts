/** Short descriptions of JSON Schemas: the type of a field in words, and its members. Pure. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';

export type DescribedSchema = Readonly<Record<string, unknown>>;

/** A member of an object's schema. */
export interface Member {
  readonly name: string;
  readonly schema: DescribedSchema;
  readonly isRequired: boolean;
}

export function asRecord(value: unknown): DescribedSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as DescribedSchema)
    : undefined;
}

/** Parses the text of a schema. A text that is not an object has no members. */
export function parseSchema(text: string): DescribedSchema {
  return asRecord(jsonValueOf(text)) ?? {};
}

/** Follows references within the document. Recursion stops after a few steps. */
export function resolveSchema(schema: DescribedSchema, root: DescribedSchema, depth = 0): DescribedSchema {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string' || !reference.startsWith('#') || depth > 8) return schema;
  const found = reference
    .slice(1)
    .split('/')
    .filter((key) => key !== '')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => asRecord(node)?.[key], root);
  return resolveSchema(asRecord(found) ?? {}, root, depth + 1);
}

export function membersOf(schema: DescribedSchema): readonly Member[] {
  const { properties, required } = schema;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(asRecord(properties) ?? {}).map(([name, member]) => ({
    name,
    schema: asRecord(member) ?? {},
    isRequired: names.includes(name),
  }));
}

export function itemsOf(schema: DescribedSchema): DescribedSchema {
  return asRecord(schema['items']) ?? {};
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'yes or no',
  null: 'null',
  object: 'object',
  array: 'list',
};

/** Describes the type of a value in a few words, such as `whole number ≥ 1`. */
export function describeType(schema: DescribedSchema, root: DescribedSchema = schema): string {
  const node = resolveSchema(schema, root);
  if ('const' in node) return JSON.stringify(node['const']);
  const { enum: choices, anyOf, oneOf, type } = node;
  if (Array.isArray(choices)) return choices.map((each) => JSON.stringify(each)).join(' or ');
  const options = [anyOf, oneOf].find(Array.isArray) as readonly unknown[] | undefined;
  if (options !== undefined) {
    return [...new Set(options.map((each) => describeType(asRecord(each) ?? {}, root)))].join(' or ');
  }
  const types: readonly unknown[] = Array.isArray(type) ? type : [type ?? guessType(node)];
  return types.map((each) => describeOne(String(each), node, root)).join(' or ');
}

function guessType(node: DescribedSchema): string {
  if ('properties' in node) return 'object';
  return 'items' in node ? 'array' : 'any value';
}

function describeOne(type: string, node: DescribedSchema, root: DescribedSchema): string {
  const word = WORDS[type] ?? type;
  if (type === 'array') {
    const items = describeType(itemsOf(node), root);
    return items === 'any value' ? word : `list of ${items}`;
  }
  const { minimum, maximum, format, maxLength } = node;
  const bounds = [
    typeof minimum === 'number' ? `≥ ${minimum}` : '',
    typeof maximum === 'number' ? `≤ ${maximum}` : '',
    typeof format === 'string' ? `(${format})` : '',
    type === 'string' && typeof maxLength === 'number' ? `≤ ${maxLength} characters` : '',
  ];
  return [word, ...bounds].filter((part) => part !== '').join(' ');
}

/** Describes the members of an object in one line, such as `{ file: text, line: whole number ≥ 1 }`. */
export function describeShape(schema: DescribedSchema): string {
  const members = membersOf(resolveSchema(schema, schema));
  if (members.length === 0) return describeType(schema);
  const shown = members.map(
    ({ name, schema: member, isRequired }) =>
      `${name}${isRequired ? '' : '?'}: ${describeType(member, schema)}`,
  );
  return `{ ${shown.join(', ')} }`;
}
