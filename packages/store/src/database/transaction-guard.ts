/** Detects code that runs inside a transaction, where `store.db` would deadlock. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreError } from '@truecast/core/internal/errors/store-error';

/** Identifies transaction code by its asynchronous context. */
export class TransactionGuard {
  readonly #current = new AsyncLocalStorage<{ isOpen: boolean }>();

  /** Runs `work` as transaction code. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    const state = { isOpen: true };
    try {
      return await this.#current.run(state, work);
    } finally {
      // Tasks that still run after the work keep this context, and can now use the store again.
      state.isOpen = false;
    }
  }

  /** Runs `effect` as code outside any transaction. */
  outside(effect: () => void): void {
    this.#current.exit(effect);
  }

  /**
   * Throws inside a transaction. On SQLite the transaction holds the write connection. On Postgres,
   * each transaction of a full pool would wait for another connection.
   *
   * @throws StoreError `inside-transaction`
   */
  refuseInside(): void {
    if (this.#current.getStore()?.isOpen !== true) return;
    throw new StoreError(
      'Expected the callback of a transaction to use its transaction, but it uses the store itself, which would deadlock. Use `tx.db`, or use the store after the transaction.',
      { code: 'inside-transaction' },
    );
  }
}
