/**
 * Schema embedding: puts a JSON Schema under a key of another, and keeps its references valid.
 * Pure.
 */
import { isRecord } from '../../kit/is-record.ts';
import type { JsonSchema } from './read-schema.ts';

/**
 * Key of the envelope around an answer: in the arguments of the answer tool, and in the schema mode of a
 * provider. Models also use it without a request.
 */
export const ENVELOPE_KEY = 'output';

/** Keywords whose value is data, not schemas. A `$ref` in it is not a reference. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example']);

/** Keywords whose value contains schemas under custom names. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/**
 * Keywords of a document's root. They move to the outer document's root, where they mean the same
 * and are looked up.
 */
const ROOT_KEYWORDS: ReadonlySet<string> = new Set(['$schema', '$defs', 'definitions']);

/**
 * Returns the JSON Schema of an object that has exactly the key `key`, whose value matches
 * `schema`.
 *
 * Definitions move to the new root, where models usually find them. All other references into the
 * document are adjusted to their moved targets.
 */
export function embedSchema(schema: JsonSchema, key: string): Readonly<Record<string, unknown>> {
  const place = `#/properties/${key}`;
  const envelope = { type: 'object', required: [key], additionalProperties: false };
  // A schema with its own `$id` stays a separate document.
  if (typeof schema === 'boolean' || typeof schema['$id'] === 'string') {
    return { ...envelope, properties: { [key]: schema } };
  }
  const moved: Record<string, unknown> = {};
  const kept: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    (ROOT_KEYWORDS.has(keyword) ? moved : kept)[keyword] = follow(keyword, value, place);
  }
  return { ...moved, ...envelope, properties: { [key]: kept } };
}

function follow(keyword: string, value: unknown, place: string): unknown {
  if (keyword === '$ref' || keyword === '$dynamicRef') {
    return typeof value === 'string' ? moveReference(value, place) : value;
  }
  if (DATA_KEYWORDS.has(keyword)) return value;
  return NAMED_SCHEMAS.has(keyword) && isRecord(value)
    ? mapValues(value, (_name, part) => followSchema(part, place))
    : followSchema(value, place);
}

function followSchema(schema: unknown, place: string): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown) => followSchema(part, place));
  if (!isRecord(schema) || typeof schema['$id'] === 'string') return schema;
  return mapValues(schema, (keyword, value) => follow(keyword, value, place));
}

/** An anchor works at any place in the document. Definitions moved along. */
function moveReference(reference: string, place: string): string {
  if (reference === '#') return place;
  if (!reference.startsWith('#/') || /^#\/(?:\$defs|definitions)(?:\/|$)/u.test(reference)) return reference;
  return `${place}${reference.slice(1)}`;
}

function mapValues(
  record: Readonly<Record<string, unknown>>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]));
}
