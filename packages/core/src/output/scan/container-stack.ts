/** Stack of open JSON containers, one byte per level at any depth. Pure. */

const FIRST_CAPACITY = 64;

/** A stack of objects and arrays. */
export class ContainerStack {
  #levels = new Uint8Array(FIRST_CAPACITY);
  #depth = 0;

  get depth(): number {
    return this.#depth;
  }

  /** True if the innermost container is an object; false at the top level. */
  get isInObject(): boolean {
    return this.#depth > 0 && this.#levels[this.#depth - 1] === 1;
  }

  push(isObject: boolean): void {
    if (this.#depth === this.#levels.length) {
      const larger = new Uint8Array(this.#levels.length * 2);
      larger.set(this.#levels);
      this.#levels = larger;
    }
    this.#levels[this.#depth] = isObject ? 1 : 0;
    this.#depth += 1;
  }

  pop(): void {
    this.#depth -= 1;
  }
}
