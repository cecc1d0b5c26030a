/** Owns opening a ledger that outlives the process. */
import type { LedgerOptions } from './grant-table.ts';
import type { Ledger } from './ledger.ts';

/** What `openLedger` takes. */
export interface OpenLedgerOptions extends LedgerOptions {
  /** A file's path, or `postgres://…`. @default .truecast/truecast.sqlite */
  readonly url?: string;
}

/** A ledger in a database that was opened for it. */
export interface OpenedLedger extends Ledger {
  /** Waits for what is under way, then leaves the database. */
  close(): Promise<void>;
}

/**
 * Opens the ledger in a database for a cast: an event is on the disk when its append resolves. Without a cast it is for reading; any number of programs may read and follow.
 *
 * @throws UsageError `invalid-option` for a name or a kind of the engine in the cast, or what is no kind
 * @throws StoreError when the database cannot be opened
 * @example
 * ```ts
 * const ledger = await openLedger({ url: 'harbour.sqlite' });
 * for (const { runId, end } of await ledger.runs()) console.log(runId, end?.winner);
 * await ledger.close();
 * ```
 */
export async function openLedger({ url, ...options }: OpenLedgerOptions = {}): Promise<OpenedLedger> {
  // Loaded here, so that the rest of the entry works where there is no database.
  const [{ openStore }, { storeLedger }] = await Promise.all([
    import('../../store/open-store.ts'),
    import('./store-ledger.ts'),
  ]);
  const store = await openStore(url === undefined ? {} : { url });
  try {
    return { ...storeLedger(store, options), close: async () => await store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}
