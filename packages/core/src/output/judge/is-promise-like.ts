/** Type guard for promises of any library or realm. Pure. */

/** Returns true if `value` can be awaited. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
