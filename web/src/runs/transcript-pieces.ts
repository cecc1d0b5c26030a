/** Pieces of a transcript: marked ranges, and the text between them, of which long parts are hidden. Pure. */
import type { RunAttempt } from '@truecast/client/internal/wire/run';
import type { Span } from '../value/answer-positions.ts';
import type { RejectedCandidate } from './rejected-candidates.ts';

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
