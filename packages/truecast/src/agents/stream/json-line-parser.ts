/** Parser for streams of JSON lines. Other lines are skipped cheaply and without throwing. */
import { findJsonExcess } from '@truecast/core/internal/json/json-bounds';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import { createLineParser } from './stream-lines.ts';
import { z } from 'zod';

interface JsonLineReader {
  /**
   * Returns true if the raw line can be relevant, so that other lines need no parsing. A JSON key
   * or value appears verbatim in the line with its quotes. Inside a string, quotes are escaped.
   */
  mayMatter(line: string): boolean;
  /** Returns the events of one line's value, which can be any JSON. `line` is its text. Must not throw. */
  readValue(value: unknown, line: string): readonly AgentEvent[];
}

/** Creates a parser for a stream with one JSON object per line. Other lines are skipped. */
export function createJsonLineParser(
  reader: JsonLineReader,
  options: { readonly maxLineChars?: number } = {},
): AgentStreamParser {
  return createLineParser({
    ...options,
    readLine(line) {
      if (!looksLikeObject(line) || !reader.mayMatter(line)) return [];
      const excess = findJsonExcess(line);
      if (excess !== undefined) {
        return [{ type: 'warning', message: `A line of the agent's output was skipped: ${excess.reason}.` }];
      }
      const value = jsonValueOf(line);
      return value === undefined ? [] : reader.readValue(value, line);
    },
  });
}

const OPENING_BRACE = 0x7b;

function looksLikeObject(line: string): boolean {
  const first = line.charCodeAt(0);
  if (first === OPENING_BRACE) return true;
  return (first === 0x20 || first === 0x09) && line.trimStart().startsWith('{');
}

/** Returns the id of a call as a member of its event. Some events have none. */
export function idOf(id: string | undefined): { readonly id?: string } {
  return id === undefined ? {} : { id };
}

const textBlocks = z.array(
  z.union([
    z.looseObject({ type: z.literal('text'), text: z.string() }).transform(({ text }) => text),
    z.looseObject({ type: z.string() }).transform(({ type }) => `[${type}]`),
    z.unknown().transform((value) => JSON.stringify(value) ?? ''),
  ]),
);

/** Returns a string unchanged, text blocks joined, and anything else as JSON. */
export function toolResultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  const blocks = textBlocks.safeParse(content);
  return blocks.success ? blocks.data.join('\n') : (JSON.stringify(content) ?? '');
}
