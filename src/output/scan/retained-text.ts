/** Owns keeping the part of a stream that an answer may still need, by its positions in the whole. Pure. */

/** Text of a stream from some position on. */
export interface RetainedText {
  /** Adds the next piece of the stream; `position` is where it begins. */
  push(piece: string, position: number): void;
  /** Forgets what stands before `position`, as far as whole pieces do. */
  dropBefore(position: number): void;
  /** Returns what stands from `start` to `end` of the stream. */
  slice(start: number, end: number): string;
}

interface Piece {
  readonly text: string;
  readonly position: number;
}

/** Forgotten pieces are cut off the array once they are this many and the larger half, so that forgetting costs constant work a piece. */
const MIN_CUT = 64;

/** Makes an empty store. */
export function createRetainedText(): RetainedText {
  let pieces: Piece[] = [];
  let first = 0;
  return {
    push(text, position) {
      pieces.push({ text, position });
    },
    dropBefore(position) {
      for (; first < pieces.length; first += 1) {
        const piece = pieces[first];
        if (piece === undefined || piece.position + piece.text.length > position) break;
      }
      if (first < MIN_CUT || first * 2 < pieces.length) return;
      pieces = pieces.slice(first);
      first = 0;
    },
    slice(start, end) {
      const wanted: string[] = [];
      for (let index = pieces.length - 1; index >= first; index -= 1) {
        const piece = pieces[index];
        if (piece === undefined || piece.position + piece.text.length <= start) break;
        if (piece.position < end) {
          wanted.push(piece.text.slice(Math.max(0, start - piece.position), end - piece.position));
        }
      }
      return wanted.reverse().join('');
    },
  };
}
