/** Key of a JSON Pointer. Pure. */

/** Escapes a member's name, as RFC 6901 says. */
export function pointerKey(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
