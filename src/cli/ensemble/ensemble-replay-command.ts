/** Owns `truecast ensemble replay`: a run shown again from its ledger, and the list of runs. */
import type { RunSummary } from '../../ensemble/projections/run-index.ts';
import { printResult, type Terminal } from '../print.ts';
import { renderTable } from '../render-table.ts';
import { loadFolder } from './choose-folder.ts';
import { createEventOutput } from './event-output.ts';
import { findRun, withLedger, type LedgerFlags } from './with-ledger.ts';

/** The flags of `truecast ensemble replay`. */
export interface EnsembleReplayFlags extends LedgerFlags {
  readonly dir?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Shows a run as it was played; without an id, lists the runs. Nothing is asked of a model, nothing is written. */
export async function ensembleReplayCommand(
  runId: string | undefined,
  flags: EnsembleReplayFlags,
  terminal: Terminal,
): Promise<void> {
  await withLedger(flags, [], async (ledger) => {
    if (runId === undefined) return await listRuns(await ledger.runs(), flags, terminal);
    const run = await findRun(ledger, runId);
    const output = createEventOutput({
      terminal,
      isJson: flags.json === true,
      isQuiet: flags.quiet === true,
      ...(await titleAndLimits(run, flags)),
    });
    for await (const event of ledger.read(runId)) await output.take(event);
    await output.finish();
  });
}

/** The manifests may have gone since: the ledger alone tells the rest. */
async function titleAndLimits({ scenario }: RunSummary, { dir }: EnsembleReplayFlags): Promise<object> {
  const folder = await loadFolder(dir).catch((error: unknown) => {
    if (dir !== undefined) throw error;
  });
  const manifest = folder?.scenarios.get(scenario);
  return manifest === undefined ? {} : { title: manifest.title, limits: manifest.governor };
}

async function listRuns(
  runs: readonly RunSummary[],
  { json }: EnsembleReplayFlags,
  terminal: Terminal,
): Promise<void> {
  if (json === true) return await printResult(runs, terminal);
  const rows = runs.map(({ runId, scenario, seed, startedAt, end }) => [
    runId,
    scenario,
    startedAt,
    end?.reason ?? 'open',
    end?.winner ?? '-',
    seed,
  ]);
  const table = renderTable([['run', 'scenario', 'started', 'ended', 'winner', 'seed'], ...rows], {
    rightAligned: [],
  });
  terminal.stdout.write(runs.length === 0 ? 'No runs are kept here.\n' : `${table}\n`);
}
