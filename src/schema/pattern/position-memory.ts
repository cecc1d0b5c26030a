/** Owns remembering at which positions the alternatives of a pattern have been tried. Pure. */

/** Keeps one bit for each alternative at each position of a text. */
export class PositionMemory {
  private readonly seen: Uint32Array;
  private readonly positions: number;
  /** Bits that were set since the look-around being run began; `undefined` outside of one. */
  private log: number[] | undefined;

  constructor(splitCount: number, textLength: number) {
    this.positions = textLength + 1;
    this.seen = new Uint32Array(Math.ceil((splitCount * this.positions) / 32));
  }

  /** Tells whether an alternative is met for the first time at this position, and remembers that it was. */
  add(split: number, at: number): boolean {
    const bit = split * this.positions + at;
    const word = this.seen[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return false;
    this.seen[bit >>> 5] = word | mask;
    this.log?.push(bit);
    return true;
  }

  /** Begins a look-around; returns what to give to `settle`. */
  begin(): number[] | undefined {
    const outer = this.log;
    this.log = [];
    return outer;
  }

  /** Ends a look-around: after one that matched, what was tried in it need not have failed, and is forgotten. */
  settle(found: boolean, outer: number[] | undefined): void {
    for (const bit of this.log ?? []) {
      if (found) this.seen[bit >>> 5] = (this.seen[bit >>> 5] ?? 0) & ~(1 << (bit & 31));
      else outer?.push(bit);
    }
    this.log = outer;
  }
}
