/** Response encoder interface of both APIs: a whole body, or events. */
import type { WireAnswer } from '../wire/wire-answer.ts';
import type { WireFailure } from '../wire/wire-failure.ts';

/**
 * Encodes one answer. A stream is `begin`, any number of `reasoning` and `text`, then `end` or `failed`. Each
 * returns its events as text.
 */
export interface AnswerEncoder {
  /** Id of the response. */
  readonly id: string;
  /** The body without streaming. */
  whole(answer: WireAnswer): unknown;
  begin(): string;
  text(delta: string): string;
  /** Encodes reasoning, if the API shows it. */
  reasoning(delta: string): string;
  /** Encodes the rest of the answer and the end. */
  end(answer: WireAnswer): string;
  failed(failure: WireFailure): string;
}

const PIECE_CHARS = 1_024;

/** Splits a text into stream chunks at character boundaries. */
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
