/** Positions of an answer's fields in a transcript. Pure. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { jsonPositions, type JsonSpan } from '../json/json-positions.ts';

/** A range in a transcript. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** An answer can be in a code fence. */
const FENCE = /^\s*```[^\n]*\n([^]*?)\n?\s*```\s*$/u;

/** Returns each field's position in the transcript. Empty if the span is not JSON, such as text. */
export function answerPositions(transcript: string, span: Span): ReadonlyMap<string, JsonSpan> {
  const whole = transcript.slice(span.start, span.end);
  const inner = FENCE.exec(whole)?.[1] ?? whole;
  if (jsonValueOf(inner) === undefined) return new Map();
  const offset = span.start + whole.indexOf(inner);
  const moved = [...jsonPositions(inner)].map(
    ([pointer, { from, start, end }]) =>
      [pointer, { from: from + offset, start: start + offset, end: end + offset }] as const,
  );
  return new Map(moved);
}

/** Returns the innermost field at a position. */
export function fieldAt(positions: ReadonlyMap<string, JsonSpan>, at: number): string | undefined {
  let found: string | undefined;
  // Parts are in the order of the text, so the last part that contains the position is the
  // innermost.
  for (const [pointer, { from, end }] of positions) if (from <= at && at < end) found = pointer;
  return found;
}
