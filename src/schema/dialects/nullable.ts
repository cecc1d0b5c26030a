/** Owns letting a lowered schema accept `null` too. Pure. */
import type { SchemaObject } from './schema-place.ts';

/** Returns the schema, which also accepts `null`. */
export function nullable(schema: SchemaObject): SchemaObject {
  const { type, anyOf } = schema;
  if (isNullListed(schema)) return schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  const hasParts = type === 'object' || type === 'array';
  if (type === undefined || hasParts || 'enum' in schema || 'const' in schema)
    return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [...(Array.isArray(type) ? (type as unknown[]) : [type]), 'null'] };
}

function isNullListed({ type, anyOf, enum: values }: SchemaObject): boolean {
  if (Array.isArray(anyOf))
    return anyOf.some((part: SchemaObject) => part['type'] === 'null' || isNullListed(part));
  const isTyped = type === 'null' || (Array.isArray(type) && type.includes('null'));
  return isTyped && (!Array.isArray(values) || values.includes(null));
}

/** Tells whether `null` is written as itself in a lowered schema, and not as the text of its JSON; behind a reference it is. */
export function writesNull(schema: SchemaObject): boolean {
  return '$ref' in schema || isNullListed(schema);
}
