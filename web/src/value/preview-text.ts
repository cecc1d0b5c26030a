/** Beginning of a value as text. Pure. */

/** `{"file":"a","line":1}` reads as `file: "a", line: 1`. */
export function previewText(json: string): string {
  return json
    .replace(/^\{(?=")/u, '')
    .replace(/\}$/u, '')
    .replaceAll(/"(\w+)":/gu, '$1: ')
    .replaceAll(/,(?=\w+: )/gu, ', ');
}
