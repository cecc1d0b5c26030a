/** JSON reader that keeps the digits of numbers that a double cannot hold. Pure. */

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
