/** Value kinds: the kinds of JSON values that a part allows. Integers and fractions are two kinds. Pure. */
import type { SchemaObject } from '../analysis/schema-place.ts';

const KINDS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  null: ['null'],
  boolean: ['boolean'],
  string: ['string'],
  array: ['array'],
  object: ['object'],
  integer: ['integer'],
  number: ['integer', 'fraction'],
};

/** All kinds. */
export const ALL_KINDS: ReadonlySet<string> = new Set(Object.values(KINDS_OF_TYPE).flat());

/** Returns the kinds that the keyword `type` allows. */
export function kindsOf({ type }: SchemaObject): ReadonlySet<string> {
  if (type === undefined) return ALL_KINDS;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  return new Set(names.flatMap((name) => KINDS_OF_TYPE[String(name)] ?? []));
}

/** Returns the kind of a value. */
export function valueKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'fraction') : typeof value;
}

/** Returns the values of `const` or `enum`. Undefined without both. */
export function listedValues(schema: SchemaObject): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : undefined;
}

/** Returns the kinds in both sets. */
export function inBoth(first: ReadonlySet<string>, second: ReadonlySet<string>): ReadonlySet<string> {
  return first === ALL_KINDS ? second : new Set([...first].filter((kind) => second.has(kind)));
}
