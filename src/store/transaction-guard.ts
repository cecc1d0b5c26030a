/** Owns knowing whether code runs in the work of a transaction, where `store.db` would wait for itself. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreError } from '../errors/store-error.ts';

/** Tells the work of transactions from everything else, by the asynchronous context. */
export class TransactionGuard {
  readonly #current = new AsyncLocalStorage<{ isOpen: boolean }>();

  /** Runs `work` as the work of a transaction. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    const state = { isOpen: true };
    try {
      return await this.#current.run(state, work);
    } finally {
      // What the work left running goes on in this context, and is free to use the store again.
      state.isOpen = false;
    }
  }

  /** Runs `effect` as if no transaction were under way. */
  outside(effect: () => void): void {
    this.#current.exit(effect);
  }

  /**
   * Refuses to go on in the work of a transaction: on SQLite the connection that writes is the transaction's, on Postgres a full pool of
   * transactions would each wait for one more connection.
   *
   * @throws StoreError `inside-transaction`
   */
  refuseInside(): void {
    if (this.#current.getStore()?.isOpen !== true) return;
    throw new StoreError(
      "Expected the work of a transaction to use the transaction it was given, got a use of the store itself, which would wait for the transaction's end. Use `tx.db`, or do it after the transaction.",
      { code: 'inside-transaction' },
    );
  }
}
