/** Opens a durable ledger. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import type { LedgerOptions } from './grant-table.ts';
import type { Ledger } from './ledger.ts';

/** Options of `openLedger`. */
export interface OpenLedgerOptions extends LedgerOptions {
  /** A file's path, or `postgres://…`. @default `truecast.sqlite` in the repository's state folder */
  readonly url?: string;
}

/** A ledger with its own database connection. */
export interface OpenedLedger extends Ledger {
  /** Waits for pending operations, then disconnects. */
  close(): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens the ledger of a database for a cast. An event is on disk when its append resolves. Without
 * a cast it is read-only; any number of programs can read and follow it.
 *
 * @throws UsageError `invalid-option` for a name or kind of the engine in the cast, or an invalid
 *   kind
 * @throws StoreError if the database cannot be opened
 * @example
 * ```ts
 * await using ledger = await openLedger({ url: 'harbour.sqlite' });
 * for (const { runId, end } of await ledger.runs()) console.log(runId, end?.winner);
 * ```
 */
export async function openLedger(given: OpenLedgerOptions = {}): Promise<OpenedLedger> {
  assertKind(given, 'an object', 'options', 'Pass `{ url, cast }`, or leave it out.');
  const { url, ...options } = given;
  // Imported on demand, so that the rest of the entry works without a database.
  const [{ openStore }, { storeLedger }] = await Promise.all([
    import('@truecast/store'),
    import('./store-ledger.ts'),
  ]);
  const store = await openStore(url === undefined ? {} : { url });
  try {
    const close = async (): Promise<void> => await store.close();
    return { ...storeLedger(store, options), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await store.close();
    throw error;
  }
}
