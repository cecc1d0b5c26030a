/**
 * `truecast report`: compliance statistics of agents from recorded outcomes, with a threshold for
 * CI.
 */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { openRepository } from 'truecast/internal/git/repository/repository';
import { outcomeLogPath } from 'truecast/internal/run/logging/outcome-log';
import { readOutcomes } from 'truecast/internal/run/logging/read-outcomes';
import { createOutcomeTally, type OutcomeSummary } from 'truecast/internal/run/logging/summarize-outcomes';
import { EXIT, printLine, printResult, tell, type Terminal, columnsFor } from './terminal/print.ts';
import { share, timeLength, type CommandContext } from './flags/flag-values.ts';
import { showInterval, renderTable } from './terminal/render-table.ts';
import { GIT_TIMEOUT_MS } from 'truecast/internal/git/command/git';

export interface ReportFlags {
  /**
   * Required share of answers that are valid at the first attempt, per agent, model, mode and
   * output.
   */
  readonly minFirstTry?: number;
  /** Includes only outcomes of this last period, in milliseconds. */
  readonly since?: number;
  readonly cwd?: string;
  readonly json?: boolean;
}

/** Prints the report. Sets exit code 1 if the threshold is missed. */
async function reportCommand(
  files: readonly string[],
  flags: ReportFlags,
  terminal: Terminal,
): Promise<void> {
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) {
    throw new UsageError(
      `There is no file \`${missing}\`. Check the path, or omit it to read the repository's own file.`,
    );
  }
  const paths = files.length > 0 ? files : [await logOfRepository(flags.cwd ?? process.cwd())];
  const { summaries, unreadable } = await readAll(paths, flags.since);
  const missed = flags.minFirstTry === undefined ? [] : missedBars(summaries, flags.minFirstTry);
  if (flags.json === true) await printResult({ summaries, unreadableLines: unreadable, missed }, terminal);
  else printTable(summaries, flags.minFirstTry, terminal);
  if (unreadable > 0) {
    tell(
      `${unreadable} line${unreadable === 1 ? '' : 's'} could not be parsed and ${unreadable === 1 ? 'was' : 'were'} skipped.`,
      terminal,
      'warning',
    );
  }
  for (const line of missed) tell(`Missed: ${line}`, terminal, 'bad');
  if (missed.length > 0) process.exitCode = EXIT.failed;
}

async function logOfRepository(cwd: string): Promise<string> {
  const { commonDir } = await openRepository(cwd, { timeoutMs: GIT_TIMEOUT_MS });
  return outcomeLogPath(repositoryStateFolder(commonDir));
}

interface ReadAll {
  readonly summaries: readonly OutcomeSummary[];
  readonly unreadable: number;
}

async function readAll(paths: readonly string[], sinceMs: number | undefined): Promise<ReadAll> {
  const tally = createOutcomeTally();
  const earliestMs = sinceMs === undefined ? Number.NEGATIVE_INFINITY : Date.now() - sinceMs;
  let unreadable = 0;
  for (const path of paths) {
    for await (const outcome of readOutcomes(path)) {
      if (outcome === undefined) unreadable += 1;
      else if (outcome.time.getTime() >= earliestMs) tally.add(outcome);
    }
  }
  return { summaries: tally.summaries(), unreadable };
}

/** No answers means that the threshold is missed: a check without data must not pass. */
function missedBars(summaries: readonly OutcomeSummary[], minFirstTry: number): string[] {
  if (summaries.every(({ answers }) => answers === 0)) {
    return [
      `no answers are recorded; expected at least ${percent(minFirstTry)} to be valid on the first try.`,
    ];
  }
  return summaries
    .filter(({ firstTry }) => firstTry !== undefined && firstTry < minFirstTry)
    .map(
      ({ agent, model, mode, output, firstTry, answers }) =>
        `${agent} ${model}, mode ${mode}, output ${output}: ${percent(firstTry)} of ${answers} answers were valid on the first try; expected at least ${percent(minFirstTry)}.`,
    );
}

/** Prints the table, with colors for the header and for each row below the threshold. */
function printTable(
  summaries: readonly OutcomeSummary[],
  minFirstTry: number | undefined,
  terminal: Terminal,
): void {
  const lines = toTable(summaries, columnsFor(terminal.stdout)).split('\n');
  const isOneLineEach = lines.length === summaries.length + 1;
  for (const [index, line] of lines.entries()) {
    const firstTry = isOneLineEach ? summaries[index - 1]?.firstTry : undefined;
    const isMissed = firstTry !== undefined && minFirstTry !== undefined && firstTry < minFirstTry;
    printLine(line, terminal, index === 0 && isOneLineEach ? 'heading' : isMissed ? 'bad' : undefined);
  }
}

function toTable(summaries: readonly OutcomeSummary[], columns: number): string {
  if (summaries.length === 0) {
    return 'No outcomes are recorded. `truecast run` records one when `--schema` or `--tag` is passed.';
  }
  const hasChecks = summaries.some(({ checked }) => checked > 0);
  // Only answers of a schema mode have them.
  const hasUnenforced = summaries.some(({ unenforced }) => unenforced > 0);
  const header = [
    'agent',
    'model',
    'mode',
    'output',
    'runs',
    'first try',
    'in the end',
    'tokens',
    'usd',
    'median',
    'p95',
    'failed',
    // Last, so that tables without checks keep their columns.
    ...(hasChecks ? ['checked'] : []),
    ...(hasUnenforced ? ['not held'] : []),
  ];
  const rows = summaries.map((summary) => [
    summary.agent,
    summary.model,
    summary.mode,
    summary.output,
    String(summary.runs),
    summary.firstTry === undefined
      ? '-'
      : `${percent(summary.firstTry)} ${showInterval(summary.firstTryInterval)}`,
    percent(summary.afterRetries),
    String(summary.tokens),
    summary.costUsd === undefined ? '-' : summary.costUsd.toFixed(2),
    seconds(summary.medianMs),
    seconds(summary.p95Ms),
    Object.entries(summary.failures)
      .map(([code, count]) => `${code} ${count}`)
      .join(', '),
    ...(hasChecks ? [String(summary.checked)] : []),
    ...(hasUnenforced ? [String(summary.unenforced)] : []),
  ]);
  return renderTable([header, ...rows], {
    rightAligned: [4, 5, 6, 7, 8, 9, 10, 12, 13],
    columns,
    droppable: [10, 7, 9, 8, 11, 2],
  });
}

/** One decimal, rounded down, so that a value below the threshold never looks equal to it. */
function percent(value: number | undefined): string {
  return value === undefined ? '-' : `${Math.floor(value * 1000 + 1e-9) / 10} %`;
}

function seconds(durationMs: number | undefined): string {
  return durationMs === undefined ? '-' : `${(durationMs / 1000).toFixed(1)} s`;
}

export function addReportCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('report')
    .description('Report how often answers were valid, by agent, model, mode and output.')
    .argument(
      '[files...]',
      "file of recorded outcomes (default: outcomes.jsonl in the repository's state folder)",
    )
    .option('--min-first-try <share>', 'exit with 1 if fewer answers were valid on the first try', share)
    .option('--since <time>', 'only outcomes of the last 30m, 24h, 7d, …', timeLength)
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--json', 'print { summaries, unreadableLines, missed }')
    .addHelpText(
      'after',
      `
Examples:
  $ truecast report
  $ truecast report --since 7d --min-first-try 0.9`,
    )
    .action((files: readonly string[], flags: ReportFlags) =>
      finish(() => reportCommand(files, flags, terminal), flags),
    );
}
