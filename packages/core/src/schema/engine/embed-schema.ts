/**
 * Schema embedding: puts JSON Schemas under keys of another, and keeps their references valid.
 * Pure.
 */
import { UsageError } from '../../errors/usage-error.ts';
import { describeValue } from '../../kit/describe-value.ts';
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

const DEFINITIONS = ['$defs', 'definitions'] as const;

/** Where a document moves to, and the new names of its definitions that another document has too. */
interface Move {
  /** JSON pointer of the new place. */
  readonly place: string;
  /** New pointers by the old ones, such as `#/$defs/a`. */
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * Returns the JSON Schema of an object that has exactly the key `key`, whose value matches
 * `schema`.
 *
 * Definitions move to the new root, where models usually find them. All other references into the
 * document are adjusted to their moved targets.
 */
export function embedSchema(schema: JsonSchema, key: string): Readonly<Record<string, unknown>> {
  const { envelope, root } = embed(schema, key, { place: `#/properties/${key}`, renamed: new Map() });
  return { ...root, ...envelope };
}

/** One alternative: an object whose only key has a value that matches `schema`. */
export interface Alternative {
  readonly key: string;
  readonly schema: JsonSchema;
  readonly description: string;
}

/**
 * Returns the JSON Schema of a value that is one of several objects with one key each. Definitions of
 * one name in two of the schemas get different names.
 *
 * @throws UsageError `unsupported` if the schemas declare different drafts
 */
export function embedAlternatives(parts: readonly Alternative[]): Readonly<Record<string, unknown>> {
  const shared: Record<string, unknown> = {};
  const anyOf = parts.map(({ key, schema: given, description }, index) => {
    const schema = withoutOwnId(given);
    const place = `#/anyOf/${index}/properties/${key}`;
    const renamed = newNames(schema, shared, key);
    const { envelope, root } = embed(schema, key, { place, renamed });
    for (const [keyword, value] of Object.entries(root)) share(shared, keyword, value);
    return { description, ...envelope };
  });
  return { ...shared, anyOf };
}

/** Removes the id of a schema whose references are all local: it changes nothing, and stays in the way. */
function withoutOwnId(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean' || !isLocal(schema)) return schema;
  const { $id: _id, ...rest } = schema;
  return rest;
}

function isLocal(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(isLocal);
  if (!isRecord(part)) return true;
  const { $ref, $dynamicRef } = part;
  const isOwn = [$ref, $dynamicRef].every((name) => typeof name !== 'string' || name.startsWith('#'));
  return isOwn && Object.values(part).every(isLocal);
}

/** Definitions and draft of a schema, which move to the outer root, and the envelope around the rest. */
function embed(
  schema: JsonSchema,
  key: string,
  move: Move,
): { readonly root: Record<string, unknown>; readonly envelope: Record<string, unknown> } {
  const envelope = { type: 'object', required: [key], additionalProperties: false };
  // A schema with its own `$id` stays a separate document.
  if (typeof schema === 'boolean' || typeof schema['$id'] === 'string') {
    return { root: {}, envelope: { ...envelope, properties: { [key]: schema } } };
  }
  const root: Record<string, unknown> = {};
  const kept: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const isMoved = ROOT_KEYWORDS.has(keyword);
    const followed = follow(keyword, value, move);
    (isMoved ? root : kept)[keyword] =
      isMoved && isRecord(followed) ? withNewNames(keyword, followed, move) : followed;
  }
  return { root, envelope: { ...envelope, properties: { [key]: kept } } };
}

function withNewNames(
  keyword: string,
  definitions: Readonly<Record<string, unknown>>,
  { renamed }: Move,
): Record<string, unknown> {
  const entries = Object.entries(definitions).map(([name, definition]) => {
    const pointer = renamed.get(pointerTo(keyword, name));
    return [pointer === undefined ? name : nameIn(pointer), definition] as const;
  });
  return Object.fromEntries(entries);
}

/** Chooses names for the definitions whose names are already used. */
function newNames(
  schema: JsonSchema,
  shared: Readonly<Record<string, unknown>>,
  key: string,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  const document = typeof schema === 'boolean' ? {} : schema;
  for (const keyword of DEFINITIONS) {
    const [own, used] = [document[keyword], shared[keyword]];
    if (!isRecord(own) || !isRecord(used)) continue;
    const taken = new Set([...Object.keys(own), ...Object.keys(used)]);
    for (const name of Object.keys(own).filter((each) => Object.hasOwn(used, each))) {
      let free = `${key}_${name}`;
      while (taken.has(free)) free = `${free}_`;
      taken.add(free);
      renamed.set(pointerTo(keyword, name), pointerTo(keyword, free));
    }
  }
  return renamed;
}

function share(shared: Record<string, unknown>, keyword: string, value: unknown): void {
  const before = shared[keyword];
  if (isRecord(before) && isRecord(value)) {
    shared[keyword] = { ...before, ...value };
    return;
  }
  if (before !== undefined && before !== value) {
    throw new UsageError(
      `Expected schemas of one draft, got ${describeValue(before)} and ${describeValue(value)}. Use one draft in both.`,
      { code: 'unsupported' },
    );
  }
  shared[keyword] = value;
}

function pointerTo(keyword: string, name: string): string {
  return `#/${keyword}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function nameIn(pointer: string): string {
  return pointer
    .slice(pointer.indexOf('/', 2) + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}

function follow(keyword: string, value: unknown, move: Move): unknown {
  if (keyword === '$ref' || keyword === '$dynamicRef') {
    return typeof value === 'string' ? moveReference(value, move) : value;
  }
  if (DATA_KEYWORDS.has(keyword)) return value;
  return NAMED_SCHEMAS.has(keyword) && isRecord(value)
    ? mapValues(value, (_name, part) => followSchema(part, move))
    : followSchema(value, move);
}

function followSchema(schema: unknown, move: Move): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown) => followSchema(part, move));
  if (!isRecord(schema) || typeof schema['$id'] === 'string') return schema;
  return mapValues(schema, (keyword, value) => follow(keyword, value, move));
}

/** An anchor works at any place in the document. Definitions moved along. */
function moveReference(reference: string, { place, renamed }: Move): string {
  if (reference === '#') return place;
  if (!reference.startsWith('#/')) return reference;
  const [definition] = /^#\/(?:\$defs|definitions)(?:\/[^/]*|$)/u.exec(reference) ?? [];
  if (definition === undefined) return `${place}${reference.slice(1)}`;
  const target = renamed.get(definition) ?? renamed.get(decoded(definition));
  return target === undefined ? reference : `${target}${reference.slice(definition.length)}`;
}

/** The fragment of a reference can have percent signs. */
function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}

function mapValues(
  record: Readonly<Record<string, unknown>>,
  change: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]));
}
