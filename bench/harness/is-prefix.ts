/**
 * Correctness of a partial value: everything in it is part of the final value, and only the last
 * string can be shorter. Pure.
 */

/** Returns true if `partial` could become `whole` by growing. A scalar is complete or absent. */
export function isPrefixOf(partial: unknown, whole: unknown): boolean {
  if (typeof partial === 'string') return typeof whole === 'string' && whole.startsWith(partial);
  if (Array.isArray(partial)) {
    return (
      Array.isArray(whole) &&
      partial.every((item, index) => index < whole.length && isPrefixOf(item, whole[index]))
    );
  }
  if (!isRecord(partial)) return partial === whole;
  if (!isRecord(whole)) return false;
  return Object.entries(partial).every(
    ([key, value]) => Object.hasOwn(whole, key) && isPrefixOf(value, whole[key]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
