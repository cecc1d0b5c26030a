/** Manifest folder of the ensemble commands, and their ledger, which is always closed. */
import type { Granted } from '@truecast/ensemble/internal/ledger/grant-table';
import type { Ledger } from '@truecast/ensemble/internal/ledger/ledger';
import { openLedger } from '@truecast/ensemble/internal/ledger/open-ledger';
import type { RunSummary } from '@truecast/ensemble/internal/ledger/run-index';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { existsSync } from 'node:fs';
import { shippedFolder } from '@truecast/ensemble/internal/manifest/shipped-folder';
import { loadEnsemble } from '@truecast/ensemble/internal/manifest/load-ensemble';
import type { EnsembleFolder } from '@truecast/ensemble/internal/manifest/read-ensemble';
import type { ScenarioManifest } from '@truecast/ensemble/internal/manifest/scenario-manifest';
import { suggest } from '@truecast/core/internal/options/suggest';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

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

const OWN = 'ensembles';

/** Returns `ensembles` if the current folder contains it. */
export function ownFolder(): string | undefined {
  return existsSync(OWN) ? OWN : undefined;
}

/**
 * Loads the named folder, else `ensembles` in the current folder, else the package's scenarios.
 *
 * @throws RepositoryError `unsafe-path` for a folder that a link of the checkout leads to
 */
export async function loadFolder(dir: string | undefined): Promise<EnsembleFolder> {
  const folder = dir ?? ownFolder() ?? shippedFolder();
  trustedPath(folder, { option: '`--dir`' });
  return await loadEnsemble(folder, { env: process.env });
}

/**
 * Returns a scenario of a folder.
 *
 * @throws UsageError `invalid-option` if no scenario has this name
 */
export function findScenario({ scenarios }: EnsembleFolder, name: string): ScenarioManifest {
  const found = scenarios.get(name);
  if (found !== undefined) return found;
  const known = [...scenarios.keys()];
  const hint = suggest(name, known) ?? `Available scenarios: ${known.join(', ')}.`;
  throw new UsageError(
    `Expected a scenario in the folder, got \`${name}\`. ${hint} To use another folder, pass \`--dir\`.`,
  );
}
