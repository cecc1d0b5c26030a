/** Owns opening the ledger of the commands about ensembles, and closing it whatever comes. */
import type { Granted } from '../../ensemble/ledger/grant-table.ts';
import type { Ledger } from '../../ensemble/ledger/ledger.ts';
import { openLedger } from '../../ensemble/ledger/open-ledger.ts';
import type { RunSummary } from '../../ensemble/projections/run-index.ts';
import { LedgerError } from '../../errors/ledger-error.ts';

/** The flags that say where runs are kept. */
export interface LedgerFlags {
  /** A file's path, or `postgres://…`. @default .truecast/truecast.sqlite */
  readonly databaseUrl?: string;
}

/** Opens the ledger for a cast (to read, for nobody), does the work, and closes it. */
export async function withLedger<T>(
  { databaseUrl }: LedgerFlags,
  cast: readonly Granted[],
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const ledger = await openLedger({ cast, ...(databaseUrl !== undefined && { url: databaseUrl }) });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/**
 * Returns what is known of a run.
 *
 * @throws LedgerError `unknown-run`
 */
export async function findRun(ledger: Ledger, runId: string): Promise<RunSummary> {
  const run = (await ledger.runs()).find((known) => known.runId === runId);
  if (run !== undefined) return run;
  throw new LedgerError(
    `There is no run \`${runId}\` on this ledger. \`truecast ensemble replay\` lists those it has; \`--database-url\` names another ledger.`,
    { code: 'unknown-run' },
  );
}
