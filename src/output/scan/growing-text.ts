/** Owns a text that grows by small pieces and may be read at any time, in memory that follows its length, not the number of its pieces. Pure. */

/** Pieces are copied into one flat string once they are this long together: each concatenation that is kept costs more than a short piece. */
const BLOCK_CHARS = 4_096;

/** Text that grows at its end. */
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
