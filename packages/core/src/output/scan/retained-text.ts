/**
 * Sliding window over a stream: keeps the part that an answer can still need, by stream position.
 * Pure.
 */

/**
 * Flush threshold: small pieces are copied into one block at this length, because one object per
 * short piece would outweigh them.
 */
const BLOCK_CHARS = 4_096;

/**
 * Discarded blocks are removed from the array once they are this many and the larger half, so that
 * the amortized cost per block is constant.
 */
const MIN_CUT = 64;

interface Block {
  readonly text: string;
  readonly position: number;
}

/** Text of a stream from some position on. */
export class RetainedText {
  #blocks: Block[] = [];
  #first = 0;
  #pieces: string[] = [];
  #piecesStart = 0;
  #piecesEnd = 0;

  /**
   * Appends the next piece of the stream, which begins at `position`. A gap before it is allowed
   * only after everything was discarded.
   */
  push(piece: string, position: number): void {
    if (this.#pieces.length === 0) this.#piecesStart = position;
    this.#pieces.push(piece);
    this.#piecesEnd = position + piece.length;
    if (this.#piecesEnd - this.#piecesStart >= BLOCK_CHARS) this.#flush();
  }

  /** Discards whole blocks before `position`. */
  dropBefore(position: number): void {
    if (this.#piecesEnd <= position) {
      this.#blocks = [];
      this.#first = 0;
      this.#pieces = [];
      return;
    }
    for (; this.#first < this.#blocks.length; this.#first += 1) {
      const block = this.#blocks[this.#first];
      if (block === undefined || block.position + block.text.length > position) break;
    }
    if (this.#first < MIN_CUT || this.#first * 2 < this.#blocks.length) return;
    this.#blocks = this.#blocks.slice(this.#first);
    this.#first = 0;
  }

  /** Returns the text from `start` to `end` of the stream as an independent string. */
  slice(start: number, end: number): string {
    this.#flush();
    const wanted: string[] = [];
    for (let index = this.#blocks.length - 1; index >= this.#first; index -= 1) {
      const block = this.#blocks[index];
      if (block === undefined || block.position + block.text.length <= start) break;
      if (block.position >= end) continue;
      wanted.push(block.text.slice(Math.max(0, start - block.position), end - block.position));
    }
    return wanted.length === 1 ? copyOf(wanted[0] ?? '') : wanted.reverse().join('');
  }

  #flush(): void {
    if (this.#pieces.length === 0) return;
    this.#blocks.push({ text: this.#pieces.join(''), position: this.#piecesStart });
    this.#pieces = [];
  }
}

/**
 * An engine's slice keeps its whole source string alive, possibly a transcript. Joining two halves
 * copies.
 */
function copyOf(text: string): string {
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)].join('');
}
