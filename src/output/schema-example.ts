/** Owns making one value of a JSON Schema's shape, to show it; it need not satisfy every bound. Pure. */
import type { JsonValue } from '../schema/json-value.ts';

/** Deeper than this, or through a recursive reference, an example would only repeat itself. */
const MAX_DEPTH = 5;

/** Returns an example of the shape. */
export function exampleOf(schema: unknown): JsonValue {
  return isRecord(schema) && Object.keys(schema).length === 0 ? { key: 'value' } : build(schema, schema, 0);
}

type Keywords = Readonly<Record<string, unknown>>;

function build(schema: unknown, root: unknown, depth: number): JsonValue {
  if (!isRecord(schema) || depth > MAX_DEPTH) return null;
  const given = [
    schema['const'],
    firstOf(schema['examples']),
    firstOf(schema['enum']),
    schema['default'],
  ].find((value) => value !== undefined);
  if (given !== undefined) return given as JsonValue;
  const referenced = typeof schema['$ref'] === 'string' ? resolveReference(schema['$ref'], root) : undefined;
  if (referenced !== undefined) return build(referenced, root, depth + 1);
  const branch = firstOf(schema['anyOf']) ?? firstOf(schema['oneOf']) ?? firstOf(schema['allOf']);
  if (branch !== undefined && schema['type'] === undefined) return build(branch, root, depth + 1);
  return buildTyped(Array.isArray(schema['type']) ? schema['type'][0] : schema['type'], schema, root, depth);
}

function buildTyped(type: unknown, schema: Keywords, root: unknown, depth: number): JsonValue {
  switch (type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? Math.max(schema['minimum'], 1) : 1;
    case 'boolean':
      return true;
    case 'array':
      return schema['items'] === undefined ? [] : [build(schema['items'], root, depth + 1)];
    case 'object': {
      const properties = isRecord(schema['properties']) ? schema['properties'] : {};
      return Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, build(value, root, depth + 1)]),
      );
    }
    default:
      return isRecord(schema['properties']) ? buildTyped('object', schema, root, depth) : null;
  }
}

function resolveReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#/')) return reference === '#' ? root : undefined;
  const keys = reference
    .slice(2)
    .split('/')
    .map((key) => decodePercents(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  );
}

/** A stray `%` is no escape: an example is not what a schema is refused for. */
function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}

function isRecord(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
