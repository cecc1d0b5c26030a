/** Owns the one text of a JSON value whose numbers keep all their digits. Pure. */

/** A number that a double cannot hold exactly, as it was written. */
class ExactNumber {
  readonly literal: string;

  constructor(literal: string) {
    this.literal = literal;
  }
}

/**
 * Writes JSON text as canonical JSON (RFC 8785), except for numbers that a double would round: those stay as they were written.
 *
 * Where no number is rounded it is what `canonicalJson` gives of the parsed value. The text was screened: it is JSON of a bounded depth.
 */
export function exactJson(text: string): string {
  return write(JSON.parse(text, keepExact));
}

/** The engine hands a reviver the text that a scalar was read from. */
function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return decimalOf(source) === decimalOf(String(value)) ? value : new ExactNumber(source);
}

function write(value: unknown): string {
  if (value instanceof ExactNumber) return value.literal;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // The default order of a sort is that of UTF-16 code units, which is what the scheme asks for.
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}

/** Significant digits and exponent: the same for all spellings of one number. */
function decimalOf(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/u, '');
  const significant = digits.replace(/0+$/u, '');
  if (significant === '') return '0';
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}
