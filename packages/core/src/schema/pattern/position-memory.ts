/** Memoization of tried alternatives by position. Pure. */

/** A bit per alternative and position of a text. */
export class PositionMemory {
  readonly #seen: Uint32Array;
  readonly #positions: number;
  /** Bits set since the current look-around began; `undefined` outside of one. */
  #log: number[] | undefined;

  constructor(splitCount: number, textLength: number) {
    this.#positions = textLength + 1;
    this.#seen = new Uint32Array(Math.ceil((splitCount * this.#positions) / 32));
  }

  /** Returns true if an alternative is new at this position, and records it. */
  add(split: number, at: number): boolean {
    const bit = split * this.#positions + at;
    const word = this.#seen[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return false;
    this.#seen[bit >>> 5] = word | mask;
    this.#log?.push(bit);
    return true;
  }

  /** Starts a look-around. Returns the argument for `settle`. */
  begin(): number[] | undefined {
    const outer = this.#log;
    this.#log = [];
    return outer;
  }

  /**
   * Ends a look-around. After a match, the alternatives tried inside have not necessarily failed,
   * so their bits are cleared.
   */
  settle(found: boolean, outer: number[] | undefined): void {
    for (const bit of this.#log ?? []) {
      if (found) this.#seen[bit >>> 5] = (this.#seen[bit >>> 5] ?? 0) & ~(1 << (bit & 31));
      else outer?.push(bit);
    }
    this.#log = outer;
  }
}
