/** Worker slots: the concurrency limit of a process, over all sources of work. */

/**
 * Semaphore that queue jobs and other work share.
 *
 * A released slot goes first to work that was suspended, then to listeners in order, then to any
 * caller. A queue with a backlog listens, so that later work does not overtake its jobs.
 */
export class Places {
  readonly #count: number;
  #free: number;
  #isClosed = false;
  readonly #returning: (() => void)[] = [];
  readonly #listeners = new Map<() => void, () => boolean>();

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /** Takes at most `count` free slots. Returns their number. */
  take(count: number): number {
    const taken = this.#isClosed ? 0 : Math.max(0, Math.min(count, this.#free));
    this.#free -= taken;
    return taken;
  }

  /** Takes a slot, unless work that came earlier waits for it. */
  takeUnclaimed(): boolean {
    for (const isWaiting of this.#listeners.values()) if (isWaiting()) return false;
    return this.take(1) === 1;
  }

  /** Takes a slot beyond the limit. There are at most as many of them as other slots. */
  takeBeyond(): boolean {
    if (this.#isClosed || this.#free <= -this.#count) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(count = 1): void {
    for (let given = 0; given < count; given += 1) {
      const back = this.#free < 0 ? undefined : this.#returning.shift();
      if (back === undefined) this.#free += 1;
      else back();
    }
    if (this.#free > 0) for (const listener of this.#listeners.keys()) listener();
  }

  /**
   * Waits for a slot for suspended work. After `signal` aborts, the work gets a slot beyond the
   * limit, because it only has to stop.
   */
  async comeBack(signal: AbortSignal): Promise<void> {
    if (this.take(1) === 1) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#returning.push(resolve);
    const stop = (): void => {
      const at = this.#returning.indexOf(resolve);
      if (at === -1) return;
      this.#returning.splice(at, 1);
      this.#free -= 1;
      resolve();
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    await promise;
    signal.removeEventListener('abort', stop);
  }

  /** Stops giving slots to new work. */
  close(): void {
    this.#isClosed = true;
  }

  /** Calls `listener` whenever a slot becomes free. `isWaiting` returns true if it has work for one. */
  onFree(listener: () => void, isWaiting: () => boolean): void {
    this.#listeners.set(listener, isWaiting);
  }
}
