/** Opening tags in a transcript whose text was not taken as an attempt, each with the reason. Pure. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import type { RunAttempt } from '@truecast/client/internal/wire/kept-run';
import type { Span } from '../value/answer-positions.ts';

/** Text that looked like the answer. */
interface RejectedCandidate extends Span {
  readonly reason: string;
}

/** Maximum number of marks. More would make a transcript unreadable. */
const MAX_CANDIDATES = 50;

/** Returns the candidates in order. Empty without a tag, because the answer was then not text. */
export function rejectedCandidates(
  text: string,
  tag: string | undefined,
  attempts: readonly RunAttempt[],
): readonly RejectedCandidate[] {
  if (tag === undefined) return [];
  const open = `<${tag}>`;
  const found: RejectedCandidate[] = [];
  for (let at = text.indexOf(open); at !== -1; at = text.indexOf(open, at + open.length)) {
    if (found.length === MAX_CANDIDATES) break;
    const from = at + open.length;
    const isAttempt = attempts.some(
      ({ span }) =>
        span !== undefined && at < span.end && text.slice(from, Math.max(from, span.start)).trim() === '',
    );
    if (!isAttempt) found.push(judge(text, tag, { start: at, end: from }));
  }
  return found;
}

function judge(text: string, tag: string, opening: Span): RejectedCandidate {
  const { end: from } = opening;
  const close = text.indexOf(`</${tag}>`, from);
  const next = text.indexOf(`<${tag}>`, from);
  const isClosed = close !== -1 && (next === -1 || close < next);
  const inner = isClosed ? text.slice(from, close).trim() : '';
  if (isClosed) {
    const reason = jsonValueOf(inner) !== undefined ? 'a later one was taken' : 'not JSON';
    return { start: from, end: Math.max(close, from + 1), reason };
  }
  const reason = /^\s*["[{\d-]/u.test(text.slice(from)) ? 'not closed' : 'in prose';
  return { ...opening, reason };
}

export interface Piece extends Span {
  /** Index of the attempt that was read from it. */
  readonly attempt?: number;
  /** Reason why its text was not taken as an attempt. */
  readonly reason?: string;
  /** True for the middle of a long text, which is shown on request. */
  readonly isHidden?: true;
}

/** Length of the text that is shown next to a mark. The rest is hidden. */
const NEAR_CHARS = 1_500;

/** Returns the pieces in order. Together they are the whole text. */
export function transcriptPieces(
  length: number,
  attempts: readonly RunAttempt[],
  candidates: readonly RejectedCandidate[],
): readonly Piece[] {
  const spans = attempts.flatMap(({ span }, attempt) => (span === undefined ? [] : [{ ...span, attempt }]));
  const marks: readonly Piece[] = [...spans, ...candidates].toSorted((a, b) => a.start - b.start);
  const pieces: Piece[] = [];
  let at = 0;
  for (const mark of marks) {
    // A range inside of another one cannot be marked again.
    if (mark.start < at || mark.end > length) continue;
    pieces.push(...between(at, mark.start, at > 0), mark);
    at = mark.end;
  }
  return [...pieces, ...between(at, length, at > 0, true)];
}

function between(start: number, end: number, followsMark: boolean, isEnd = false): readonly Piece[] {
  if (start === end) return [];
  const from = start + (followsMark || isEnd ? NEAR_CHARS : 0);
  const to = end - NEAR_CHARS;
  if (to - from < NEAR_CHARS) return [{ start, end }];
  const head = from > start ? [{ start, end: from }] : [];
  return [...head, { start: from, end: to, isHidden: true }, { start: to, end }];
}
