/** Format problems: the field and the expectation, without received values. Pure. */

/** One reason to reject a format. */
export interface FormatProblem {
  /** Field of the body, such as `response_format.json_schema.name`. */
  readonly field: string;
  /** Expectation and next step, without client text. */
  readonly detail: string;
  /** JSON Pointer into the field, if the problem is inside it. */
  readonly pointer?: string;
}

const MAX_POINTER_BYTES = 160;
const MAX_NAME_CHARS = 64;

/** Renders a path as a JSON Pointer (RFC 6901), truncated to 160 bytes. */
export function toPointer(path: readonly (string | number)[]): string {
  const pointer = path
    .map((key) => `/${escapeUnstorable(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  const bytes = new TextEncoder().encode(pointer);
  if (bytes.length <= MAX_POINTER_BYTES) return pointer;
  const ellipsis = '…';
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_POINTER_BYTES - 3));
  // Truncation inside a character leaves a replacement character.
  return `${kept.replace(/\uFFFD+$/u, '')}${ellipsis}`;
}

/** Returns `field.name`, without the name if it is not a plain identifier. */
export function fieldOf(field: string, name: string): string {
  return name.length <= MAX_NAME_CHARS && /^[\w$-]+$/u.test(name) ? `${field}.${name}` : field;
}

// With the `u` flag a surrogate matches only if it is unpaired.
const UNSTORABLE = /[\0\uD800-\uDFFF]/gu;

/** Writes NUL and half surrogates as JSON does, such as `\u0000`. */
export function escapeUnstorable(text: string): string {
  return text.replace(UNSTORABLE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
