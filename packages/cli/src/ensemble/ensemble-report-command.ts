/**
 * `truecast ensemble report`: compliance statistics of event agents from the ledger, with a
 * threshold for CI.
 */
import type { Ledger } from '@truecast/ensemble/internal/ledger/ledger';
import type { RunSummary } from '@truecast/ensemble/internal/ledger/run-index';
import { foldCompliance, type ComplianceRow } from '@truecast/ensemble/internal/projections/compliance';
import { estimateRate, type RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';
import { EXIT, printResult, printText, tell, type Terminal, columnsFor } from '../terminal/print.ts';
import { showInterval, renderTable } from '../terminal/render-table.ts';
import { findRun, withLedger, type LedgerFlags } from './with-ledger.ts';

export interface EnsembleReportFlags extends LedgerFlags {
  /** Required share of answers that are valid at the first attempt, per agent, model and kind. */
  readonly minFirstTry?: number;
  /** Includes only the runs of this scenario. */
  readonly scenario?: string;
  readonly json?: boolean;
}

/** A row with the rate of answers that were valid at the first attempt. */
interface ReportRow extends ComplianceRow {
  readonly firstTry: RateEstimate;
}

/**
 * Prints the report over the named runs, by default all. Sets exit code 1 if the threshold is
 * missed.
 */
export async function ensembleReportCommand(
  runIds: readonly string[],
  flags: EnsembleReportFlags,
  terminal: Terminal,
): Promise<void> {
  await withLedger(flags, [], async (ledger) => {
    const runs = await chooseRuns(ledger, runIds, flags.scenario);
    const compliance = foldCompliance();
    for (const { runId } of runs) for await (const event of ledger.read(runId)) compliance.apply(event);
    const rows = compliance.read().map((row) => ({
      ...row,
      firstTry: estimateRate(row.validOnFirstTry, row.answers),
    }));
    const missed = flags.minFirstTry === undefined ? [] : missedBars(rows, flags.minFirstTry);
    if (flags.json === true) await printResult({ runs: runs.length, rows, missed }, terminal);
    else printText(`${toTable(rows, columnsFor(terminal.stdout))}\n`, terminal);
    for (const line of missed) tell(`Missed: ${line}`, terminal, 'bad');
    if (missed.length > 0) process.exitCode = EXIT.failed;
  });
}

async function chooseRuns(
  ledger: Ledger,
  runIds: readonly string[],
  scenario: string | undefined,
): Promise<readonly RunSummary[]> {
  const runs =
    runIds.length === 0
      ? await ledger.runs()
      : await Promise.all([...new Set(runIds)].map((runId) => findRun(ledger, runId)));
  return runs.filter((run) => scenario === undefined || run.scenario === scenario);
}

/** No answers means that the threshold is missed: a check without data must not pass. */
function missedBars(rows: readonly ComplianceRow[], minFirstTry: number): readonly string[] {
  if (rows.length === 0) {
    return [
      `this ledger has no answers; expected at least ${percent(minFirstTry)} to be valid on the first try.`,
    ];
  }
  return rows
    .filter(({ answers, validOnFirstTry }) => validOnFirstTry < minFirstTry * answers - EPSILON)
    .map(
      ({ agent, model, kind, answers, validOnFirstTry }) =>
        `${agent} ${model}, ${kind}: ${percent(validOnFirstTry / answers)} of ${answers} answers were valid on the first try; expected at least ${percent(minFirstTry)}.`,
    );
}

/** Shares such as 0.07 are not exact in binary floating point. */
const EPSILON = 1e-9;

function toTable(rows: readonly ReportRow[], columns: number): string {
  if (rows.length === 0) return 'This ledger has no answers. Run `truecast ensemble run` first.';
  const header = [
    'agent',
    'model',
    'kind',
    'answers',
    'first try',
    're-asked',
    'repaired',
    'coerced',
    'raw',
    'skipped',
    'no contest',
  ];
  const lines = rows.map((row) => [
    row.agent,
    row.model,
    row.kind,
    String(row.answers),
    `${percent(row.firstTry.rate)} ${showInterval(row.firstTry)}`,
    ...[row.reAsked, row.repaired, row.coerced, row.raw, row.skipped, row.noContest].map(String),
  ]);
  return renderTable([header, ...lines], {
    rightAligned: [3, 4, 5, 6, 7, 8, 9, 10],
    columns,
    droppable: [10, 7, 8, 9, 6, 5, 1],
  });
}

/** One decimal, rounded down, so that a value below the threshold never looks equal to it. */
function percent(value: number): string {
  return `${Math.floor(value * 1000 + EPSILON) / 10} %`;
}
