/** Owns how a problem with a request's format is told: the field, what is expected of it, and nothing of what was sent but names. Pure. */

/** One reason why a format is refused. */
export interface FormatProblem {
  /** The field of the body, such as `response_format.json_schema.name`. */
  readonly field: string;
  /** What was expected, and what to do; holds nothing that the client wrote. */
  readonly detail: string;
  /** JSON Pointer into the field, where the problem is inside of it. */
  readonly pointer?: string;
}

const MAX_POINTER_BYTES = 160;
const MAX_NAME_CHARS = 64;

/** Writes a path as a JSON Pointer (RFC 6901), cut where it is longer than 160 bytes. */
export function toPointer(path: readonly (string | number)[]): string {
  const pointer = path
    .map((key) => `/${String(key).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  const bytes = new TextEncoder().encode(pointer);
  if (bytes.length <= MAX_POINTER_BYTES) return pointer;
  const ellipsis = '…';
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_POINTER_BYTES - 3));
  // What was cut inside of a character ends in its replacement.
  return `${kept.replace(/\uFFFD+$/u, '')}${ellipsis}`;
}

/** Returns `field.name`; the name is left out where it could be anything but a name. */
export function fieldOf(field: string, name: string): string {
  return name.length <= MAX_NAME_CHARS && /^[\w$-]+$/u.test(name) ? `${field}.${name}` : field;
}
