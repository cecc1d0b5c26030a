/** Owns what streams of JSON lines have in common: what is no event is skipped, cheaply and without throwing. */
import type { AgentEvent, AgentStreamParser } from './agent-provider.ts';
import { createLineParser } from './line-parser.ts';

/** How one CLI's lines are read. */
export interface JsonLineReader {
  /**
   * Tells from the raw line whether it can hold anything of interest, so that the others need not be parsed.
   * A key or value of the line's JSON stands in it verbatim with its quotes; inside a string, quotes are escaped.
   */
  mayMatter(line: string): boolean;
  /** Returns the events of one line's value, which may be any JSON; must not throw. */
  readValue(value: unknown): readonly AgentEvent[];
}

/** Makes a parser for a stream with one JSON object a line. Lines that are none are skipped. */
export function createJsonLineParser(
  reader: JsonLineReader,
  options: { readonly maxLineChars?: number } = {},
): AgentStreamParser {
  return createLineParser({
    ...options,
    readLine(line) {
      if (!looksLikeObject(line) || !reader.mayMatter(line)) return [];
      const value = parseJson(line);
      return value === undefined ? [] : reader.readValue(value);
    },
  });
}

const OPENING_BRACE = 0x7b;

function looksLikeObject(line: string): boolean {
  const first = line.charCodeAt(0);
  if (first === OPENING_BRACE) return true;
  return (first === 0x20 || first === 0x09) && line.trimStart().startsWith('{');
}

/** Returns the value of a JSON text, or undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
