/** JSON text of any origin, read without an exception. Pure. */

/**
 * Returns the value of a JSON text, or undefined if the text is not JSON. Check the bounds of a text
 * from a model or a guest before.
 */
export function jsonValueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
