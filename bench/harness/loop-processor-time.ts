/**
 * Longest processor time of one iteration of the event loop. Unlike a delay, it does not count the
 * time in which other processes had the processor.
 */
export class LoopProcessorTime {
  #longestMs = 0;
  #last: NodeJS.CpuUsage = process.threadCpuUsage();
  #next: NodeJS.Immediate | undefined;

  /** Measures each iteration. The loop never idles from now on. */
  start(): void {
    this.#last = process.threadCpuUsage();
    const measure = (): void => {
      const { user, system } = process.threadCpuUsage(this.#last);
      this.#last = process.threadCpuUsage();
      this.#longestMs = Math.max(this.#longestMs, (user + system) / 1_000);
      this.#next = setImmediate(measure);
    };
    this.#next = setImmediate(measure);
  }

  /** Stops, and returns the longest iteration since the start, in milliseconds. */
  stop(): number {
    clearImmediate(this.#next);
    const longestMs = this.#longestMs;
    this.#longestMs = 0;
    return longestMs;
  }
}
