/** Times on the wire. Pure. */

/** Renders a time, in milliseconds since 1970, in ISO 8601. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
