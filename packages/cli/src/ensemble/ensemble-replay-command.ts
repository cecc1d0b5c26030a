/** `truecast ensemble replay`: shows a run again from its ledger, or lists the runs. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { Ledger } from '@truecast/ensemble/internal/ledger/ledger';
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import type { EnsembleLimits } from '@truecast/ensemble/internal/scenario/ensemble-scenario';
import type { RunSummary } from '@truecast/ensemble/internal/ledger/run-index';
import { writeChosenFile } from 'truecast/internal/support/open-chosen-file';
import { printResult, printText, type Terminal, columnsFor } from '../terminal/print.ts';
import { renderTable } from '../terminal/render-table.ts';
import { loadFolder, findRun, withLedger, type LedgerFlags } from './with-ledger.ts';
import { createEventOutput } from './event-output.ts';
import { replayPage } from './pages/replay-page.ts';
import { toReplayRun } from './pages/replay-lines.ts';

export interface EnsembleReplayFlags extends LedgerFlags {
  readonly dir?: string;
  readonly html?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/**
 * Shows a run as it was played. Without an id, lists the runs. Calls no model and writes nothing.
 */
export async function ensembleReplayCommand(
  runId: string | undefined,
  flags: EnsembleReplayFlags,
  terminal: Terminal,
): Promise<void> {
  if (runId === undefined && flags.html !== undefined) {
    throw new UsageError(
      'Expected a run for `--html`, got none. Pass an id that `truecast ensemble replay` lists.',
    );
  }
  await withLedger(flags, [], async (ledger) => {
    if (runId === undefined) return await listRuns(await ledger.runs(), flags, terminal);
    const run = await findRun(ledger, runId);
    if (flags.html !== undefined) return await writePage(run, flags.html, { ledger, flags, terminal });
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

interface PageContext {
  readonly ledger: Ledger;
  readonly flags: EnsembleReplayFlags;
  readonly terminal: Terminal;
}

async function writePage(
  run: RunSummary,
  file: string,
  { ledger, flags, terminal }: PageContext,
): Promise<void> {
  const events: LedgerEvent[] = [];
  for await (const event of ledger.read(run.runId)) events.push(event);
  const { title } = await titleAndLimits(run, flags);
  await writeChosenFile(file, replayPage(toReplayRun(run, events, title)));
  printText(`${file}\n`, terminal);
}

/** The manifests might have been deleted. The ledger contains everything else. */
async function titleAndLimits(
  { scenario }: RunSummary,
  { dir }: EnsembleReplayFlags,
): Promise<{ readonly title?: string; readonly limits?: EnsembleLimits }> {
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
    `${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    end?.reason ?? 'open',
    end?.winner ?? '-',
    seed,
  ]);
  const table = renderTable([['run', 'scenario', 'started', 'ended', 'winner', 'seed'], ...rows], {
    rightAligned: [],
    columns: columnsFor(terminal.stdout),
    droppable: [5, 2],
  });
  printText(runs.length === 0 ? 'This ledger has no runs.\n' : `${table}\n`, terminal);
}
