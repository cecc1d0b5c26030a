/** Schema merge: combines several schemas that must all match into one. Pure. */
import type { WorkMeter } from '../../work/work-budget.ts';
import type { Conjunctions } from './conjunctions.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject } from './schema-place.ts';

/** Keywords for which the larger bound applies, and those for which the smaller does. */
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
  '$anchor',
  '$defs',
  'definitions',
]);

/** Maximum number of pairs from two lists of alternatives. */
const MAX_PAIRS = 64;

export interface MergePort {
  readonly work: WorkMeter;
  readonly conjunctions: Conjunctions;
  /** Reports a keyword in which the two schemas differ. */
  lose(keyword: string): void;
}

/** Merges two schemas. Rules that cannot be combined are lost from the second. */
export function mergeSchemas(first: SchemaObject, second: SchemaObject, port: MergePort): SchemaObject {
  const merged: Record<string, unknown> = { ...first };
  port.work.spend(6);
  for (const [keyword, value] of Object.entries(second)) {
    port.work.spend(1);
    if (!Object.hasOwn(merged, keyword)) {
      merged[keyword] = value;
      continue;
    }
    const both = mergeKeyword(keyword, merged[keyword], value, port);
    if (both !== undefined) merged[keyword] = both;
    else port.lose(keyword);
  }
  return closeBoth(merged, first, second, port.work);
}

function mergeKeyword(keyword: string, first: unknown, second: unknown, port: MergePort): unknown {
  if (ANNOTATIONS.has(keyword) || first === second) return first;
  if (typeof first === 'number' && typeof second === 'number') {
    if (LARGER.has(keyword)) return Math.max(first, second);
    if (SMALLER.has(keyword)) return Math.min(first, second);
  }
  if (keyword === 'type') return mergeTypes(listOf(first), listOf(second));
  if (keyword === 'enum' && Array.isArray(first) && Array.isArray(second)) {
    return mergeEnums(first, second, port.work);
  }
  if (keyword === 'required') return mergeRequired(listOf(first), listOf(second), port.work);
  if ((keyword === 'properties' || keyword === 'patternProperties') && isRecord(first) && isRecord(second)) {
    return mergeProperties(first, second, port);
  }
  if (keyword === 'anyOf' || keyword === 'oneOf') {
    return mergeAlternatives(listOf(first), listOf(second), port);
  }
  if (keyword === 'items' || keyword === 'additionalProperties' || keyword === 'propertyNames') {
    return port.conjunctions.join(first, second);
  }
  return textOf(first, port.work) === textOf(second, port.work) ? first : undefined;
}

function mergeEnums(first: readonly unknown[], second: readonly unknown[], work: WorkMeter): unknown {
  const texts = new Set(second.map((value) => textOf(value, work)));
  const common = first.filter((value) => texts.has(textOf(value, work)));
  return common.length > 0 ? common : undefined;
}

function mergeRequired(
  first: readonly unknown[],
  second: readonly unknown[],
  work: WorkMeter,
): readonly unknown[] {
  work.spend(first.length + second.length);
  return [...new Set([...first, ...second])];
}

/**
 * Merges two lists of which one alternative each must match: each pair becomes an alternative, unless its types
 * exclude each other.
 */
function mergeAlternatives(
  first: readonly unknown[],
  second: readonly unknown[],
  { work, conjunctions }: MergePort,
): unknown {
  if (textOf(first, work) === textOf(second, work)) return first;
  if (first.length * second.length > MAX_PAIRS) return undefined;
  const pairs = first.flatMap((one) =>
    second.filter((other) => !hasOtherTypes(one, other)).map((other) => conjunctions.join(one, other)),
  );
  return pairs.length > 0 ? pairs : undefined;
}

function hasOtherTypes(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other) || !('type' in one && 'type' in other)) return false;
  return mergeTypes(listOf(one['type']), listOf(other['type'])) === undefined;
}

/** Properties named by both must match both. They are merged when they are lowered. */
function mergeProperties(first: SchemaObject, second: SchemaObject, port: MergePort): SchemaObject {
  const merged = new Map(Object.entries(first));
  port.work.spend(merged.size);
  for (const [name, part] of Object.entries(second)) {
    port.work.spend(2);
    merged.set(name, merged.has(name) ? port.conjunctions.join(merged.get(name), part) : part);
  }
  return Object.fromEntries(merged);
}

function mergeTypes(first: readonly unknown[], second: readonly unknown[]): unknown {
  const common = first.flatMap((type) => {
    if (second.includes(type) || (type === 'integer' && second.includes('number'))) return [type];
    return type === 'number' && second.includes('integer') ? ['integer'] : [];
  });
  if (common.length === 0) return undefined;
  return common.length === 1 ? common[0] : common;
}

/** If one of two objects is closed, properties that only the other names are not allowed. */
function closeBoth(
  merged: Record<string, unknown>,
  first: SchemaObject,
  second: SchemaObject,
  work: WorkMeter,
): SchemaObject {
  const { properties } = merged;
  if (!isRecord(properties)) return merged;
  const allowed = [first, second]
    .filter((schema) => schema['additionalProperties'] === false)
    .map((schema) => (isRecord(schema['properties']) ? schema['properties'] : {}));
  if (allowed.length === 0) return merged;
  const names = Object.keys(properties);
  work.spend(names.length * 2);
  const kept = names.filter((name) => allowed.every((known) => Object.hasOwn(known, name)));
  merged['properties'] = Object.fromEntries(kept.map((name) => [name, properties[name]]));
  return merged;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

function textOf(value: unknown, work: WorkMeter): string | undefined {
  const text = JSON.stringify(value) as string | undefined;
  work.spend(1 + ((text?.length ?? 0) >> 4));
  return text;
}
