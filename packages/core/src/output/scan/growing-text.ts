/**
 * Text buffer that grows by small pieces and can be read at any time. Its memory depends on its
 * length, not on the number of pieces. Pure.
 */

/**
 * Flush threshold: pieces are copied into one flat string at this length, because each kept
 * concatenation costs more than a short piece.
 */
const BLOCK_CHARS = 4_096;

/** Append-only text. */
export class GrowingText {
  #blocks = '';
  #pieces: string[] = [];
  #tail = '';

  get length(): number {
    return this.#blocks.length + this.#tail.length;
  }

  push(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#tail += piece;
    if (this.#tail.length < BLOCK_CHARS) return;
    this.#blocks += this.#pieces.join('');
    this.#pieces = [];
    this.#tail = '';
  }

  /** Returns the text so far, in constant time. */
  toString(): string {
    return this.#blocks + this.#tail;
  }
}
