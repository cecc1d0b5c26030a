/** JSON body parser. Pure. */

/** Parses JSON. Undefined if invalid. The wire's schema validates the contents. */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown; // `JSON.parse` is typed `any`
  } catch {
    return undefined;
  }
}
