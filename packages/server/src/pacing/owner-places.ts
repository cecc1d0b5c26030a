/**
 * Places that owners share: calls of a model, or processes of tools. A free place goes to the waiting
 * owner with the fewest places, so that an owner with much work does not delay the others.
 */

export class OwnerPlaces {
  readonly #count: number;
  readonly #held = new Map<string | undefined, number>();
  /** Waiting work per owner, the longest waiting owner first. */
  readonly #waiting = new Map<string | undefined, Set<() => void>>();
  #taken = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** Takes a free place. Returns false without one. */
  take(owner: string | undefined): boolean {
    if (this.#taken >= this.#count) return false;
    this.#hold(owner);
    return true;
  }

  /**
   * Waits for a place. After `signal` aborts, the work gets one beyond the limit, because it only has
   * to stop.
   */
  async wait(owner: string | undefined, signal: AbortSignal): Promise<void> {
    if (this.take(owner)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, own.add(resolve));
    const stop = (): void => {
      if (!this.#remove(owner, resolve)) return;
      this.#hold(owner);
      resolve();
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    await promise;
    signal.removeEventListener('abort', stop);
  }

  /** Returns a place of the owner, which the next one gets. */
  giveBack(owner: string | undefined): void {
    const left = this.#heldBy(owner) - 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
    this.#taken -= 1;
    const next = this.#taken < this.#count ? this.#next() : undefined;
    const [resolve] = (next && this.#waiting.get(next.owner)) ?? [];
    if (next === undefined || resolve === undefined) return;
    this.#remove(next.owner, resolve);
    this.#hold(next.owner);
    resolve();
  }

  /** Returns the owner with the fewest places. Among equals, the one that waits longest. */
  #next(): { readonly owner: string | undefined } | undefined {
    let best: { readonly owner: string | undefined; readonly held: number } | undefined;
    for (const owner of this.#waiting.keys()) {
      const held = this.#heldBy(owner);
      if (best === undefined || held < best.held) best = { owner, held };
    }
    return best;
  }

  #remove(owner: string | undefined, resolve: () => void): boolean {
    const own = this.#waiting.get(owner);
    if (own?.delete(resolve) !== true) return false;
    this.#waiting.delete(owner);
    // The owner is last now. A map lists its keys in the order of their insertion.
    if (own.size > 0) this.#waiting.set(owner, own);
    return true;
  }

  #hold(owner: string | undefined): void {
    this.#taken += 1;
    this.#held.set(owner, this.#heldBy(owner) + 1);
  }

  #heldBy(owner: string | undefined): number {
    return this.#held.get(owner) ?? 0;
  }
}
