/** Values at JSON Pointers, and a JSON reader that keeps the digits of numbers that a double cannot hold. Pure. */
import { clip } from '../kit/describe-value.ts';

/** A number in its original notation. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  /** Keeps the digits in JSON. A browser without `JSON.rawJSON` rounds them. */
  toJSON(): unknown {
    // The function is standard, but missing in TypeScript's library.
    const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };
    return rawJSON === undefined ? Number(this.digits) : rawJSON(this.digits);
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

/** Enough to recognize a value in a list, too little to fill it. */
const SHOWN_CHARS = 80;

/** Returns a value as JSON, at most 80 characters of it. Undefined for a value without JSON. */
export function shownJson(value: unknown): string | undefined {
  // The type omits that a value without JSON has no text.
  const text = JSON.stringify(value) as string | undefined;
  return text && clip(text, SHOWN_CHARS);
}
