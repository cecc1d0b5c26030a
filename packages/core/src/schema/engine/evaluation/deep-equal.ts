/** JSON equality, with counted work or for small values. Pure. */
import type { WorkMeter } from '../../work/work-budget.ts';

/**
 * Returns true if two values are equal as JSON: numbers by value, objects regardless of order.
 *
 * Recurses as deep as `left`, whose depth must be limited.
 */
export function isDeepEqual(left: unknown, right: unknown, meter: WorkMeter): boolean {
  meter.spend(2);
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((member, index) => isDeepEqual(member, right[index], meter));
  }
  const keys = Object.keys(left);
  const otherCount = Object.keys(right).length;
  meter.spend(2 * otherCount);
  return (
    keys.length === otherCount &&
    keys.every(
      (key) =>
        Object.hasOwn(right, key) && isDeepEqual(Reflect.get(left, key), Reflect.get(right, key), meter),
    )
  );
}

/** Returns true if two JSON values are equal, for a small one on the right. Ends at the first difference. */
export function isSameJson(value: unknown, other: unknown): boolean {
  return isDeepEqual(other, value, UNCOUNTED);
}

const UNCOUNTED: WorkMeter = { spend: () => undefined };
