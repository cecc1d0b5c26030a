/** Edits of a schema's fields: the form's view of the document that the editor shows. Pure. */
import { asRecord, itemsOf, membersOf, type DescribedSchema } from '../json/describe-schema.ts';

/** Kind of a field that the form can edit. `other` needs the editor. */
export type FieldKind = 'text' | 'choice' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'other';

/** Place of a schema in the document: keys from the root. */
export type EditPath = readonly string[];

/** Changes the schema at a place. */
export type EditSchema = (path: EditPath, change: (schema: DescribedSchema) => DescribedSchema) => void;

const NEW_SCHEMAS: Readonly<Record<Exclude<FieldKind, 'other'>, DescribedSchema>> = {
  text: { type: 'string' },
  choice: { type: 'string', enum: ['first', 'second'] },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  list: { type: 'array', items: { type: 'string' } },
  object: { type: 'object', properties: {}, required: [], additionalProperties: false },
};

const TYPES: Readonly<Record<string, FieldKind>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
};
const COMBINED = ['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'const', 'prefixItems'];

/** Keywords of a kind that the form has inputs for, each with its label. */
export const RULES: Readonly<Record<FieldKind, readonly (readonly [keyword: string, label: string])[]>> = {
  text: [
    ['minLength', 'min. length'],
    ['maxLength', 'max. length'],
  ],
  choice: [],
  integer: [
    ['minimum', 'min.'],
    ['maximum', 'max.'],
  ],
  number: [
    ['minimum', 'min.'],
    ['maximum', 'max.'],
  ],
  boolean: [],
  list: [
    ['minItems', 'min. items'],
    ['maxItems', 'max. items'],
  ],
  object: [],
  other: [],
};

/** Keywords that the form shows in another place, or that follow from the kind. */
const SHOWN = new Set([
  'type',
  'description',
  'enum',
  'items',
  'properties',
  'required',
  'additionalProperties',
]);

export function fieldKindOf(schema: DescribedSchema): FieldKind {
  const { type, enum: choices, items, properties } = schema;
  if (COMBINED.some((keyword) => keyword in schema)) return 'other';
  if (choices !== undefined) {
    const isText = type === undefined || type === 'string';
    return isText && Array.isArray(choices) && choices.every((each) => typeof each === 'string')
      ? 'choice'
      : 'other';
  }
  if (type === 'array') return asRecord(items) === undefined ? 'other' : 'list';
  if (type === 'object') return properties === undefined || asRecord(properties) ? 'object' : 'other';
  return (typeof type === 'string' ? TYPES[type] : undefined) ?? 'other';
}

/** Returns a schema of another kind. Its description is kept. */
export function withKind(schema: DescribedSchema, kind: FieldKind): DescribedSchema {
  if (kind === 'other' || kind === fieldKindOf(schema)) return schema;
  const { description } = schema;
  return { ...NEW_SCHEMAS[kind], ...(description !== undefined && { description }) };
}

/** Returns the keywords that only the editor shows. */
export function hiddenKeywords(schema: DescribedSchema): readonly string[] {
  const ruled = RULES[fieldKindOf(schema)].map(([keyword]) => keyword);
  return Object.keys(schema).filter((keyword) => !SHOWN.has(keyword) && !ruled.includes(keyword));
}

/** Returns the place of the fields of a schema, and the schema there. Undefined if it has no fields. */
export function fieldsOf(
  schema: DescribedSchema,
  path: EditPath,
): { readonly path: EditPath; readonly schema: DescribedSchema } | undefined {
  const kind = fieldKindOf(schema);
  if (kind === 'object') return { path, schema };
  return kind === 'list' ? fieldsOf(itemsOf(schema), [...path, 'items']) : undefined;
}

/** Returns the document with another schema at a place. */
export function changeAt(
  root: DescribedSchema,
  path: EditPath,
  change: (schema: DescribedSchema) => DescribedSchema,
): DescribedSchema {
  const [key, ...rest] = path;
  if (key === undefined) return change(root);
  return { ...root, [key]: changeAt(asRecord(root[key]) ?? {}, rest, change) };
}

/** Sets a keyword, or removes it. */
export function withKeyword(schema: DescribedSchema, keyword: string, value: unknown): DescribedSchema {
  const { [keyword]: _removed, ...rest } = schema;
  return value === undefined ? rest : { ...schema, [keyword]: value };
}

/** Renames a field of an object. Its position is kept, and whether it is required. */
export function renameField(object: DescribedSchema, from: string, to: string): DescribedSchema {
  const rename = (name: unknown): unknown => (name === from ? to : name);
  const fields = Object.entries(asRecord(object['properties']) ?? {});
  const { required } = object;
  return {
    ...object,
    properties: Object.fromEntries(fields.map(([name, field]) => [name === from ? to : name, field])),
    ...(Array.isArray(required) && { required: required.map(rename) }),
  };
}

/** Makes a field of an object required or optional. */
export function requireField(object: DescribedSchema, name: string, isRequired: boolean): DescribedSchema {
  const required = membersOf(object)
    .filter((member) => (member.name === name ? isRequired : member.isRequired))
    .map((member) => member.name);
  return { ...object, required };
}

export function removeField(object: DescribedSchema, name: string): DescribedSchema {
  const { [name]: _removed, ...properties } = asRecord(object['properties']) ?? {};
  return { ...requireField(object, name, false), properties };
}

/** Adds a required text with a new name at the end. */
export function addField(object: DescribedSchema): DescribedSchema {
  const properties = asRecord(object['properties']) ?? {};
  let name = 'field';
  for (let count = 2; Object.hasOwn(properties, name); count += 1) name = `field_${count}`;
  const added = { ...object, properties: { ...properties, [name]: NEW_SCHEMAS.text } };
  return requireField(added, name, true);
}
