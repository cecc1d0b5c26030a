/**
 * Backoff of one server that cannot be reached: its failure is returned immediately until a delay
 * is over.
 */

const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 300_000;

/** Attempts to reach one server. Concurrent callers share one attempt. */
export class ReconnectBackoff<T> {
  readonly #reach: () => Promise<T>;
  readonly #now: () => number;
  #attempt: Promise<T> | undefined;
  #failures = 0;
  #retryAtMs = 0;
  #failed: Promise<T> | undefined;

  /** @param now - milliseconds of a monotonic clock */
  constructor(reach: () => Promise<T>, now: () => number) {
    this.#reach = reach;
    this.#now = now;
  }

  /** Reaches the server, or rejects with its last failure while the delay lasts. */
  run(): Promise<T> {
    if (this.#attempt !== undefined) return this.#attempt;
    if (this.#failed !== undefined && this.#now() < this.#retryAtMs) return this.#failed;
    this.#attempt = this.#reach();
    this.#attempt.then(
      () => this.#settle(0),
      () => {
        this.#failed = this.#attempt;
        this.#settle(this.#failures + 1);
      },
    );
    return this.#attempt;
  }

  #settle(failures: number): void {
    if (failures === 0) this.#failed = undefined;
    else this.#retryAtMs = this.#now() + Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
    this.#failures = failures;
    this.#attempt = undefined;
  }
}
