/**
 * Preview pace: decides when a growing answer is copied for its reader, so that all copies together cost
 * a multiple of the answer, not its square. Pure.
 */

/** A short answer is copied at each piece. */
const SHORT_CHARS = 4_096;

/** Share of growth after which a long answer is copied again: all copies are at most nine times the last one. */
const GROWTH = 1 / 8;

/** A slow answer is copied again after this time, for each begun `CHARS_PER_INTERVAL`. */
const INTERVAL_MS = 50;
const CHARS_PER_INTERVAL = 100_000;

export class PreviewPace {
  readonly #now: () => number;
  #chars = 0;
  #shownChars = 0;
  #shownAtMs = -Infinity;

  /** @param now - milliseconds of any clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** True if the reader does not have the last pieces. */
  get isBehind(): boolean {
    return this.#chars > this.#shownChars;
  }

  /** Counts a piece. Returns true if the reader gets the answer now. */
  grow(chars: number): boolean {
    this.#chars += chars;
    const isDue =
      this.#chars <= SHORT_CHARS ||
      this.#chars - this.#shownChars >= this.#shownChars * GROWTH ||
      this.#now() - this.#shownAtMs >= INTERVAL_MS * Math.ceil(this.#chars / CHARS_PER_INTERVAL);
    if (isDue) this.catchUp();
    return isDue;
  }

  /** Notes that the reader gets the whole answer so far. */
  catchUp(): void {
    this.#shownChars = this.#chars;
    this.#shownAtMs = this.#now();
  }
}
