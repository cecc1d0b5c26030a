/** Owns the places of a process: how much work it does at once, whichever way the work comes in. */

/**
 * Counts places that jobs of a queue and other work share.
 *
 * A place that is given back goes first to who was away, then to the listeners, in the order in which they came, and is free for
 * everybody only afterwards: a queue that is behind listens, so that what comes later does not overtake its jobs.
 */
export class Places {
  #free: number;
  #isClosed = false;
  readonly #returning: (() => void)[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes what is free, at most `count`; returns how many. */
  take(count: number): number {
    const taken = this.#isClosed ? 0 : Math.max(0, Math.min(count, this.#free));
    this.#free -= taken;
    return taken;
  }

  giveBack(count = 1): void {
    for (let given = 0; given < count; given += 1) {
      const back = this.#free < 0 ? undefined : this.#returning.shift();
      if (back === undefined) this.#free += 1;
      else back();
    }
    if (this.#free > 0) for (const listener of this.#listeners) listener();
  }

  /** Waits for a place for work that was away. Once `signal` aborts it has one beyond the count: what is left to do is to stop. */
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

  /** From now on nothing is given to anybody new. */
  close(): void {
    this.#isClosed = true;
  }

  /** Calls `listener` whenever a place has become free. */
  onFree(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
