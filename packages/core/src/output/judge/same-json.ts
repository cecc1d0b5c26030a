/** Equality of JSON values, for a small one on the right. Pure. */
import { isRecord } from '../../errors/base/is-record.ts';

/** Returns true if two JSON values are equal. Ends at the first difference. */
export function isSameJson(value: unknown, other: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(other))
    return value.length === other.length && other.every((item, index) => isSameJson(value[index], item));
  if (!isRecord(value) || !isRecord(other)) return value === other;
  const keys = Object.keys(other);
  return (
    keys.length === Object.keys(value).length &&
    keys.every((key) => Object.hasOwn(value, key) && isSameJson(value[key], other[key]))
  );
}
