/** Claims of one worker: one at a time. A refusal also answers the claims that waited for it. */
export class SharedRefusals<T> {
  #last: Promise<unknown> = Promise.resolve();
  #started = 0;
  #lastRefused = 0;
  #refusals = 0;

  /** Claims that found nothing. */
  get refusals(): number {
    return this.#refusals;
  }

  /**
   * Returns what `claim` finds, in the order of the calls. Without calling it, undefined if a claim that began after
   * this call found nothing: it saw all that this one would see.
   */
  next(claim: () => Promise<T | undefined>): Promise<T | undefined> {
    const earlier = this.#started;
    const found = this.#last.then(async () => {
      if (this.#lastRefused > earlier) return undefined;
      this.#started += 1;
      const own = this.#started;
      const held = await claim();
      if (held !== undefined) return held;
      this.#lastRefused = own;
      this.#refusals += 1;
      return undefined;
    });
    this.#last = found.catch(() => undefined);
    return found;
  }
}
