/** Values at JSON Pointers, and a JSON reader that keeps the digits of numbers that a double cannot hold. Pure. */

/** A number in its original notation. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

interface ReviverContext {
  readonly source?: string;
}

/** Parses JSON. Numbers that a double rounds are returned as `ExactNumber`. */
export function parseExact(text: string): unknown {
  // The third parameter is standard, but missing in TypeScript's library.
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, context: ReviverContext | undefined) => unknown,
  ) => unknown;
  return parse(text, (_key, value, context) => {
    const source = context?.source;
    const isExact = typeof value !== 'number' || source === undefined || String(value) === source;
    return isExact ? value : new ExactNumber(source);
  });
}

const SHOWN_CHARS = 40;

/** Returns the value at a pointer. Undefined if the value does not have it. */
export function partAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
      value,
    );
}

/** Returns a value in a few characters. Undefined for an object, a list and an absent value. @internal The console shows it. */
export function shortValue(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.digits;
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
