/** Escapes of characters that no UTF-8 text or some store cannot hold. Pure. */

// With the `u` flag a surrogate matches only if it is unpaired.
const UNSTORABLE = /[\0\uD800-\uDFFF]/gu;

/** Writes NUL and half surrogates as JSON does, such as `\u0000`. */
export function escapeUnstorable(text: string): string {
  return text.replace(UNSTORABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
