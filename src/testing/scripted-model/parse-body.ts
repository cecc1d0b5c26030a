/** Owns parsing what was posted: JSON or nothing. Pure. */

/** Parses JSON; undefined when it is none. What it holds is checked by the wire's own schema. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown; // `JSON.parse` is typed `any`
  } catch {
    return undefined;
  }
}
