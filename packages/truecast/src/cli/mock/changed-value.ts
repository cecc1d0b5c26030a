/** Another value of the same form: one leaf differs, so that types and most schemas still fit. Pure. */
import type { JsonValue } from '@truecast/core/internal/schema/json-value';

/** Returns a copy in which the first number differs, else the first boolean, else the first string. */
export function changed(value: JsonValue): JsonValue {
  for (const type of ['number', 'boolean', 'string'] as const) {
    const copy = changeFirst(value, type);
    if (copy !== undefined) return copy;
  }
  return value === null ? 'sample' : null;
}

/** Returns undefined if there is no leaf of the type. */
function changeFirst(value: JsonValue, type: 'number' | 'boolean' | 'string'): JsonValue | undefined {
  if (typeof value === 'number') return type === 'number' ? value + 1 : undefined;
  if (typeof value === 'boolean') return type === 'boolean' ? !value : undefined;
  if (typeof value === 'string') return type === 'string' ? `${value} (sample)` : undefined;
  if (value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const copy = changeFirst(member, type);
    if (copy === undefined) continue;
    return Array.isArray(value)
      ? value.map((item, index) => (String(index) === key ? copy : item))
      : { ...value, [key]: copy };
  }
  return undefined;
}
