/**
 * Schema trimming: removes keywords that a provider of plain JSON Schema does not support, and
 * keeps all others. Pure.
 */
import { keepKeywords } from './keep-keywords.ts';
import type { LoweringPort } from './lowering-port.ts';
import { NAMED_SCHEMAS } from '../../engine/embed-schema.ts';
import { withDraft07Bounds } from '../analysis/draft-04-bounds.ts';
import { isAssertion } from '../analysis/is-never.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';

const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);
const PARTS: ReadonlySet<string> = new Set(
  'items additionalItems additionalProperties contains propertyNames not if then else'.split(' '),
);
/** Keywords that are kept unchanged, with any value. */
const AS_IS: ReadonlySet<string> = new Set([
  '$ref',
  'const',
  'enum',
  'default',
  'examples',
  'required',
  'type',
  '$comment',
]);

/** Cost of trimming one part, in units. */
const TRIM_WORK = 20;

/**
 * `additionalItems` has no effect beside one schema for all items, and strict validators reject it
 * there.
 */
function withoutIdleItems(schema: SchemaObject): SchemaObject {
  if (!('additionalItems' in schema) || Array.isArray(schema['items'])) return schema;
  const { additionalItems: _idle, ...rest } = schema;
  return rest;
}

/** Returns the schema without unsupported keywords. */
export function trimSchema(schema: unknown, path: SchemaPath, port: LoweringPort): unknown {
  port.work.spend(TRIM_WORK + path.length, path);
  if (!isRecord(schema)) return schema;
  const united = withDraft07Bounds(withUnions(schema, path, port));
  const known = withTuples(withoutIdleItems(united), path, port);
  const trimmed: Record<string, unknown> = {};
  const judged: string[] = [];
  for (const [keyword, value] of Object.entries(known)) {
    const place = [...path, keyword];
    if (NAMED_SCHEMAS.has(keyword) && port.profile.keywords.has(keyword) && isRecord(value)) {
      trimmed[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, trimSchema(part, [...place, name], port)]),
      );
    } else if (LISTS.has(keyword) && Array.isArray(value) && port.profile.keywords.has(keyword)) {
      trimmed[keyword] = value.map((part, index) => trimSchema(part, [...place, index], port));
    } else if (PARTS.has(keyword) && port.profile.keywords.has(keyword)) {
      trimmed[keyword] = trimSchema(value, place, port);
    } else if (AS_IS.has(keyword)) trimmed[keyword] = value;
    else judged.push(keyword);
  }
  const {
    title: _title,
    description,
    ...kept
  } = keepKeywords(
    known,
    judged.filter((keyword) => isWorthTelling(keyword, port)),
    path,
    port,
  );
  return {
    ...(known['title'] !== undefined && { title: known['title'] }),
    ...(description !== undefined && { description }),
    ...trimmed,
    ...kept,
  };
}

const TITLES: ReadonlySet<string> = new Set([
  'title',
  'description',
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$vocabulary',
]);
const BEYOND_DRAFT_07: ReadonlySet<string> = new Set(
  'unevaluatedItems unevaluatedProperties dependentRequired dependentSchemas minContains maxContains $dynamicRef $recursiveRef'.split(
    ' ',
  ),
);

/** Unknown keywords validate nothing, so removing them is not a loss. */
function isWorthTelling(keyword: string, { profile }: LoweringPort): boolean {
  return (
    !TITLES.has(keyword) &&
    (profile.keywords.has(keyword) || BEYOND_DRAFT_07.has(keyword) || isAssertion(keyword))
  );
}

/** For a provider without them, `allOf` becomes one schema, and `oneOf` becomes `anyOf`. */
function withUnions(schema: SchemaObject, path: SchemaPath, port: LoweringPort): SchemaObject {
  const { keywords } = port.profile;
  const merged =
    Array.isArray(schema['allOf']) && !keywords.has('allOf') ? port.mergeAll(schema, path) : schema;
  const { oneOf, ...rest } = merged;
  if (!Array.isArray(oneOf) || keywords.has('oneOf') || 'anyOf' in rest) return merged;
  return { ...rest, anyOf: oneOf };
}

/** A list of schemas by position becomes one schema for all items. */
function withTuples(schema: SchemaObject, path: SchemaPath, port: LoweringPort): SchemaObject {
  const isLegacy = Array.isArray(schema['items']);
  const keyword = isLegacy ? 'items' : 'prefixItems';
  const { [keyword]: prefix, ...others } = schema;
  if (!Array.isArray(prefix)) return schema;
  const { [isLegacy ? 'additionalItems' : 'items']: rest, ...beside } = others;
  port.lose([...path, keyword], keyword, 'each item may fit the schema of any position');
  const hasRest = rest !== undefined && rest !== false;
  return {
    ...beside,
    items: { anyOf: [...(prefix as unknown[]), ...(hasRest ? [rest] : [])] },
    minItems: schema['minItems'] ?? prefix.length,
    ...(!hasRest && { maxItems: schema['maxItems'] ?? prefix.length }),
  };
}
