/**
 * Gate of commits that start turns: on Postgres, only a few of them wait for a connection at the same
 * time. A crowd's first messages then do not delay the ends of earlier turns, and reads of receipts.
 */
import type { Store } from '@truecast/store/internal/database/store';

/** Fewer than the connections of a store by default. SQLite has one connection for all writes. */
const STARTS = { postgres: 4, sqlite: Infinity } as const;

/** Runs starts in their order. */
export class StartGate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor({ dialect }: Pick<Store, 'dialect'>) {
    this.#free = STARTS[dialect];
  }

  /** Runs a start when fewer than the limit run. */
  async run<T>(start: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await start();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
