/** Owns keeping the part of a stream that an answer may still need, by its positions in the whole. Pure. */

/** Small pieces are copied into one block once they are this long together: one object for each piece of a few characters would outweigh them. */
const BLOCK_CHARS = 4_096;

/** Forgotten blocks are cut off the array once they are this many and the larger half, so that forgetting costs constant work a block. */
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

  /** Adds the next piece of the stream; `position` is where it begins. Only after everything was forgotten may there be a gap before it. */
  push(piece: string, position: number): void {
    if (this.#pieces.length === 0) this.#piecesStart = position;
    this.#pieces.push(piece);
    this.#piecesEnd = position + piece.length;
    if (this.#piecesEnd - this.#piecesStart >= BLOCK_CHARS) this.#flush();
  }

  /** Forgets what stands before `position`, as far as whole blocks do. */
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

  /** Returns what stands from `start` to `end` of the stream, as a string of its own. */
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

/** An engine's slice keeps the whole string alive that it was cut from, which may be a transcript; joining two halves copies. */
function copyOf(text: string): string {
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)].join('');
}
