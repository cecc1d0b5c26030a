/** Exact JSON: the canonical text of a JSON value whose numbers keep all their digits. Pure. */
import { decimalOf } from '../../json/text/find-inexact.ts';

/** A number that a double cannot represent exactly, with its original text. */
class ExactNumber {
  readonly literal: string;

  constructor(literal: string) {
    this.literal = literal;
  }
}

/**
 * Converts JSON text to canonical JSON (RFC 8785), except for numbers that a double would round.
 * Those stay unchanged.
 *
 * If no number is rounded, the result equals `canonicalJson` of the parsed value. The text was
 * screened: it is JSON of limited depth.
 */
export function exactJson(text: string): string {
  return write(JSON.parse(text, keepExact));
}

/** The engine passes the source text of a scalar to a reviver. */
function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return decimalOf(source) === decimalOf(String(value)) ? value : new ExactNumber(source);
}

function write(value: unknown): string {
  if (value instanceof ExactNumber) return value.literal;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // The default sort order is that of UTF-16 code units, as the RFC requires.
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}
