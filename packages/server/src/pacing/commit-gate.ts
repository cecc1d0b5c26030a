/**
 * Gate of commits of chats: on Postgres, only a few of one kind wait for a connection at the same time. A
 * crowd's first messages then do not delay the ends of earlier turns, and neither delays reads of receipts.
 */
import type { Store } from '@truecast/store/internal/database/store';

/** Two kinds have fewer than the connections of a store by default. SQLite has one for all writes. */
const COMMITS = { postgres: 4, sqlite: Infinity } as const;

/** Runs commits of one kind in their order. */
export class CommitGate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor({ dialect }: Pick<Store, 'dialect'>) {
    this.#free = COMMITS[dialect];
  }

  /** Runs a commit when fewer than the limit run. */
  async run<T>(commit: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await commit();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
