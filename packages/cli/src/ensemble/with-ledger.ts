/** Opens the ledger for the ensemble commands, and always closes it. */
import type { Granted } from '@truecast/ensemble/internal/ledger/grant-table';
import type { Ledger } from '@truecast/ensemble/internal/ledger/ledger';
import { openLedger } from '@truecast/ensemble/internal/ledger/open-ledger';
import type { RunSummary } from '@truecast/ensemble/internal/ledger/run-index';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';

/** Flags for the ledger's location. */
export interface LedgerFlags {
  /**
   * Path of a file, or `postgres://…`. @default `truecast.sqlite` in the repository's state folder
   */
  readonly databaseUrl?: string;
}

/** Opens the ledger for a cast (for no cast if only read), runs the work, and closes it. */
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
 * Returns the summary of a run.
 *
 * @throws LedgerError `unknown-run`
 */
export async function findRun(ledger: Ledger, runId: string): Promise<RunSummary> {
  const run = (await ledger.runs()).find((known) => known.runId === runId);
  if (run !== undefined) return run;
  throw new LedgerError(
    `This ledger has no run \`${runId}\`. List its runs with \`truecast ensemble replay\`, or pass another ledger as \`--database-url\`.`,
    { code: 'unknown-run' },
  );
}
