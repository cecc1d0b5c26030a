/** Nullable schemas: makes a lowered schema accept `null` too. Pure. */
import type { SchemaObject } from './schema-place.ts';

export function nullable(schema: SchemaObject): SchemaObject {
  const { type, anyOf } = schema;
  if (isNullListed(schema)) return schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  const hasParts = type === 'object' || type === 'array';
  if (type === undefined || hasParts || 'enum' in schema || 'const' in schema) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  return { ...schema, type: [...(Array.isArray(type) ? (type as unknown[]) : [type]), 'null'] };
}

function isNullListed({ type, anyOf, enum: values }: SchemaObject): boolean {
  if (Array.isArray(anyOf)) {
    return anyOf.some((part: SchemaObject) => part['type'] === 'null' || isNullListed(part));
  }
  const isTyped = type === 'null' || (Array.isArray(type) && type.includes('null'));
  return isTyped && (!Array.isArray(values) || values.includes(null));
}

/**
 * Returns true if `null` is written literally in a lowered schema, and not as its JSON text. Behind
 * a reference it is.
 */
export function writesNull(schema: SchemaObject): boolean {
  return '$ref' in schema || isNullListed(schema);
}

/** Returns true if a lowered schema is a union, as providers count them. */
export function isUnion({ type, anyOf }: SchemaObject): boolean {
  return Array.isArray(anyOf) || Array.isArray(type);
}
