/**
 * Slices of work: few callers begin in one turn of the event loop, in their order.
 *
 * Callers that arrive together would otherwise pass each stage together, and all would end last. In
 * slices, the first ones are answered while the last ones wait, and timers and sockets have their turn.
 */
export class LoopSlices {
  readonly #callers: number;
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  /** @param callers - that begin in one turn of the event loop */
  constructor(callers: number) {
    this.#callers = callers;
  }

  /** Resolves at once, or in a later turn of the event loop after enough others. */
  async next(): Promise<void> {
    if (this.#begun < this.#callers) this.#begin();
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    if (this.#begun === 0) setImmediate(() => this.#nextTurn());
    this.#begun += 1;
  }

  #nextTurn(): void {
    this.#begun = 0;
    for (const resolve of this.#waiting.splice(0, this.#callers)) {
      this.#begin();
      resolve();
    }
  }
}
