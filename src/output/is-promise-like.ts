/** Owns telling a promise, of whatever library or realm, from a value. Pure. */

/** Tells whether `value` can be waited for. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
