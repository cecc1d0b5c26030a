/** Copies of lowered schemas: a part that is used twice must be two objects, as in JSON. Pure. */
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject } from './schema-place.ts';

/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'required', 'type']);

/** Counts the objects and arrays of a lowered schema, up to `enough`. */
export function countParts(schema: SchemaObject, enough: number): number {
  const open: unknown[] = [schema];
  for (const part of open) {
    if (open.length > enough) return open.length;
    for (const [keyword, value] of Object.entries(part as object)) {
      if (typeof value === 'object' && value !== null && !DATA.has(keyword)) open.push(value);
    }
  }
  return open.length;
}

/** Copies a lowered schema. `onCopy` receives each object with its copy. */
export function copyLowered(
  schema: SchemaObject,
  onCopy: (original: object, copy: object) => void,
): SchemaObject {
  const copy = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      DATA.has(keyword) ? value : copyValue(value, onCopy),
    ]),
  );
  onCopy(schema, copy);
  return copy;
}

function copyValue(value: unknown, onCopy: (original: object, copy: object) => void): unknown {
  if (Array.isArray(value)) return value.map((member: unknown) => copyValue(member, onCopy));
  return isRecord(value) ? copyLowered(value, onCopy) : value;
}
