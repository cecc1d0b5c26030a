/** Owns where the commands about ensembles keep their runs. */
import type { Ledger } from '../../ensemble/ledger/ledger.ts';
import type { Granted } from '../../ensemble/ledger/grant-table.ts';
import { memoryLedger } from '../../ensemble/ledger/memory-ledger.ts';

/** The flags that say where runs are kept. */
export interface StoreFlags {
  /** A file's path, or `postgres://…`. @default .truecast/truecast.sqlite */
  readonly databaseUrl?: string;
}

/** The runs that are kept. */
export interface LedgerStore {
  /** Opens the ledger for a cast; to read, for nobody. */
  open(cast: readonly Granted[]): Ledger;
}

/** Opens the store, does the work, and closes it. */
export async function withLedgerStore<T>(
  _flags: StoreFlags,
  work: (store: LedgerStore) => Promise<T>,
): Promise<T> {
  return await work({ open: (cast) => memoryLedger({ cast }) });
}
