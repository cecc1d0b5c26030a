/** Duplicate detection in linear, counted work. Pure. */
import { SchemaError } from '../../../errors/schema-error.ts';
import type { WorkMeter } from '../../work/work-budget.ts';

/** Maximum depth of serialized items. Deeper ones are rejected, as a schema for them would be. */
const MAX_DEPTH = 512;

/** Positions of two equal items. */
export interface Duplicate {
  readonly first: number;
  readonly second: number;
}

/**
 * Finds the first item that equals an earlier one.
 *
 * Scalars are used as map keys directly. Objects and arrays are keyed by a canonical text, in a
 * separate map, so that no string can imitate one.
 *
 * @throws SchemaError `too-deep`, and errors of `meter`
 */
export function findDuplicate(items: readonly unknown[], meter: WorkMeter): Duplicate | undefined {
  const scalars = new Map<unknown, number>();
  const texts = new Map<unknown, number>();
  for (const [second, item] of items.entries()) {
    meter.spend(2);
    const isScalar = typeof item !== 'object' || item === null;
    const seen: Map<unknown, number> = isScalar ? scalars : texts;
    const key = isScalar ? item : identityOf(item, meter);
    const first = seen.get(key);
    if (first !== undefined) return { first, second };
    seen.set(key, second);
  }
  return undefined;
}

/** Serializes an object or array so that equal ones have equal texts. */
function identityOf(value: object, meter: WorkMeter): string {
  const parts: string[] = [];
  write(value, parts, 0, meter);
  return parts.join('');
}

function write(value: unknown, parts: string[], depth: number, meter: WorkMeter): void {
  if (typeof value === 'string') {
    meter.spend(4 + (value.length >> 4));
    parts.push(JSON.stringify(value));
    return;
  }
  meter.spend(3);
  if (typeof value !== 'object' || value === null) {
    // Adding 0 turns -0 into 0.
    parts.push(String(typeof value === 'number' ? value + 0 : value));
    return;
  }
  if (depth >= MAX_DEPTH) {
    throw new SchemaError(
      `Items that must be unique are nested deeper than ${MAX_DEPTH} levels. Send a value with less nesting.`,
      { code: 'too-deep', path: [] },
    );
  }
  if (Array.isArray(value)) {
    parts.push('[');
    for (const member of value) {
      write(member, parts, depth + 1, meter);
      parts.push(',');
    }
    parts.push(']');
    return;
  }
  const keys = Object.keys(value).sort();
  meter.spend(keys.length * 5);
  parts.push('{');
  for (const key of keys) {
    parts.push(JSON.stringify(key), ':');
    write(Reflect.get(value, key), parts, depth + 1, meter);
    parts.push(',');
  }
  parts.push('}');
}
