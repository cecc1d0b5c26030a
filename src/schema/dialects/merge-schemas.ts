/** Owns making one schema of several that must all hold. Pure. */
import type { LoweringPort } from './lowering-port.ts';
import { isRecord, type SchemaObject, type SchemaPath } from './schema-place.ts';

/** Keywords of which the larger bound holds, and those of which the smaller does. */
const LARGER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const SMALLER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  '$schema',
  '$id',
  '$defs',
  'definitions',
]);

/** Merges two schemas; what cannot hold together in one is lost from the second. */
export function mergeSchemas(
  first: SchemaObject,
  second: SchemaObject,
  path: SchemaPath,
  port: LoweringPort,
): SchemaObject {
  const merged: Record<string, unknown> = { ...first };
  for (const [keyword, value] of Object.entries(second)) {
    if (!Object.hasOwn(merged, keyword)) {
      merged[keyword] = value;
      continue;
    }
    const both = mergeKeyword(keyword, merged[keyword], value);
    if (both !== undefined) merged[keyword] = both;
    else
      port.lose(
        path,
        keyword,
        'two schemas that must both hold differ in it, and only the first is asked for',
      );
  }
  return closeBoth(merged, first, second);
}

function mergeKeyword(keyword: string, first: unknown, second: unknown): unknown {
  if (ANNOTATIONS.has(keyword) || isSame(first, second)) return first;
  if (typeof first === 'number' && typeof second === 'number') {
    if (LARGER.has(keyword)) return Math.max(first, second);
    if (SMALLER.has(keyword)) return Math.min(first, second);
  }
  if (keyword === 'type') return mergeTypes(listOf(first), listOf(second));
  if (keyword === 'enum' && Array.isArray(first) && Array.isArray(second)) {
    const common = first.filter((value) => second.some((other) => isSame(value, other)));
    return common.length > 0 ? common : undefined;
  }
  if (keyword === 'required') return [...new Set([...listOf(first), ...listOf(second)])];
  if ((keyword === 'properties' || keyword === 'patternProperties') && isRecord(first) && isRecord(second))
    return mergeProperties(first, second);
  if (keyword === 'anyOf' || keyword === 'oneOf') return mergeAlternatives(listOf(first), listOf(second));
  if (keyword === 'allOf') return [...listOf(first), ...listOf(second)];
  if (keyword === 'items' || keyword === 'additionalProperties' || keyword === 'propertyNames')
    return mergePart(first, second);
  return undefined;
}

/** Pairs of alternatives that are made of two lists, at most. */
const MAX_PAIRS = 64;

/** One alternative of each list must hold: each pair is an alternative. */
function mergeAlternatives(first: readonly unknown[], second: readonly unknown[]): unknown {
  if (first.length * second.length > MAX_PAIRS) return undefined;
  return first.flatMap((one) => second.map((other) => ({ allOf: [one, other] })));
}

/** Properties that both name must fit both; their merging waits until they are lowered. */
function mergeProperties(first: SchemaObject, second: SchemaObject): SchemaObject {
  return Object.fromEntries(
    [...new Set([...Object.keys(first), ...Object.keys(second)])].map((name) => {
      if (!Object.hasOwn(second, name)) return [name, first[name]];
      return [name, Object.hasOwn(first, name) ? mergePart(first[name], second[name]) : second[name]];
    }),
  );
}

function mergePart(first: unknown, second: unknown): unknown {
  if (first === false || second === false) return false;
  if (first === true) return second;
  return second === true || isSame(first, second) ? first : { allOf: [first, second] };
}

function mergeTypes(first: readonly unknown[], second: readonly unknown[]): unknown {
  const common = first.flatMap((type) => {
    if (second.includes(type) || (type === 'integer' && second.includes('number'))) return [type];
    return type === 'number' && second.includes('integer') ? ['integer'] : [];
  });
  if (common.length === 0) return undefined;
  return common.length === 1 ? common[0] : common;
}

/** Where one of two objects is closed, properties that only the other names cannot stand. */
function closeBoth(merged: Record<string, unknown>, first: SchemaObject, second: SchemaObject): SchemaObject {
  const { properties } = merged;
  if (!isRecord(properties)) return merged;
  const allowed = [first, second]
    .filter((schema) => schema['additionalProperties'] === false)
    .map((schema) => new Set(isRecord(schema['properties']) ? Object.keys(schema['properties']) : []));
  const names = Object.keys(properties).filter((name) => allowed.every((set) => set.has(name)));
  merged['properties'] = Object.fromEntries(names.map((name) => [name, properties[name]]));
  return merged;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function isSame(first: unknown, second: unknown): boolean {
  return first === second || JSON.stringify(first) === JSON.stringify(second);
}
