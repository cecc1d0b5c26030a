/** Owns what either API does to write an answer down: whole, or event by event. */
import type { WireAnswer } from './wire-answer.ts';
import type { WireFailure } from './wire-failure.ts';

/** Writes one answer. A stream is `begin`, `text` any number of times, then `end` or `failed`; each returns the text of its events. */
export interface AnswerEncoder {
  /** The body of an answer that is not streamed. */
  whole(answer: WireAnswer): unknown;
  begin(): string;
  text(delta: string): string;
  /** Writes what of the answer was not told yet, and the end. */
  end(answer: WireAnswer): string;
  failed(failure: WireFailure): string;
}

const PIECE_CHARS = 1_024;

/** Cuts a text into pieces of a stream, none inside of a character. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + PIECE_CHARS;
    const last = text.charCodeAt(end - 1);
    const isSplit = end < text.length && last >= 0xd800 && last <= 0xdbff;
    pieces.push(text.slice(at, isSplit ? end - 1 : end));
    at = isSplit ? end - 1 : end;
  }
  return pieces;
}
