/**
 * Recent owners: the owners whose turns this process started, latest last. Orders owners of equal
 * rank.
 */

const MOST_OWNERS = 1_000;

/** Remembers the latest owners whose turns started, in this process only. */
export class RecentOwners {
  readonly #startedAt = new Map<string, number>();
  #starts = 0;

  /** Records the start of a turn. */
  add(owner: string): void {
    this.#starts += 1;
    // A map lists keys in the order of insertion, so the first one is the oldest.
    this.#startedAt.delete(owner);
    this.#startedAt.set(owner, this.#starts);
    const [oldest] = this.#startedAt.keys();
    if (this.#startedAt.size > MOST_OWNERS && oldest !== undefined) this.#startedAt.delete(oldest);
  }

  /** Number of the owner's last start. 0 if there is none, or if it is too long ago. */
  lastStart(owner: string): number {
    return this.#startedAt.get(owner) ?? 0;
  }
}
