/**
 * `truecast compare`: answers the same tasks with several agents, models and modes, and compares
 * the rates of valid and right answers, the time and the cost.
 */
import { join, resolve } from 'node:path';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { acquireLock } from 'truecast/internal/git/command/lock';
import { openLinesFile } from 'truecast/internal/run/batch/lines-file';
import { writeChosenFile } from 'truecast/internal/support/open-chosen-file';
import { budgetOf } from '../flags/flag-values.ts';
import {
  EXIT,
  printResult,
  printText,
  tell,
  toJsonText,
  type CommandTerminal,
  type Terminal,
  columnsFor,
} from '../terminal/print.ts';
import { showRate } from '../terminal/render-table.ts';
import { untilInterrupted } from '../terminal/until-interrupted.ts';
import type { CompareFlags } from './compare-flags.ts';
import { comparePage } from './compare-page.ts';
import { compareTable } from './compare-table.ts';
import { measure, type Comparison, type ContestantRow } from './comparison.ts';
import { openTask } from './open-task.ts';
import { createJudge } from './right-answer.ts';
import { runOf, runTrials } from './run-trials.ts';
import { checkTrial, planTrials, type Trial, type TrialResult } from './trial.ts';

/** Runs the missing trials, and prints the comparison. Exits with 1 below a threshold. */
export async function compareCommand(
  word: string | undefined,
  flags: CompareFlags,
  terminal: CommandTerminal,
): Promise<void> {
  const { items, contestants } = await openTask(word, flags, terminal);
  const trials = planTrials(items, contestants, flags);
  const comparison = await untilInterrupted('comparison', (signal) =>
    runAll(trials, { flags, terminal, signal }),
  );
  const out = resolve(flags.out);
  await writeChosenFile(join(out, 'compare.json'), `${toJsonText(comparison, 2)}\n`);
  await writeChosenFile(join(out, 'compare.html'), comparePage(comparison));
  if (flags.json === true) await printResult(comparison, terminal);
  else printText(compareTable(comparison, columnsFor(terminal.stdout)), terminal);
  const missed = missedBars(comparison, flags);
  for (const line of missed) tell(line, terminal, 'bad');
  if (missed.length > 0) process.exitCode = EXIT.failed;
}

interface Run {
  readonly flags: CompareFlags;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function runAll(trials: readonly Trial[], { flags, terminal, signal }: Run): Promise<Comparison> {
  const folder = resolve(flags.out);
  const path = join(folder, 'results.jsonl');
  const planned = new Set(trials.map(({ key }) => key));
  const results = new Map<string, TrialResult>();
  const usages = new Map<string, Usage | undefined>();
  const file = await openLinesFile(path, {
    parse: checkTrial,
    contents: 'the results of a comparison',
    onLine(line) {
      if (!planned.has(line.key)) return;
      results.set(line.key, line);
      usages.set(runOf(line), line.usage);
    },
  });
  const lock = await acquireLock({
    commonDir: folder,
    key: 'results',
    subject: `The folder \`${flags.out}\``,
    command: 'a comparison',
    now: new Date(),
  });
  const tellUncounted = uncountedTeller(flags, terminal);
  const { repeat, seed, concurrency, retryFailed = false, minValid } = flags;
  try {
    const end = await runTrials({
      trials,
      results,
      usages,
      judge: createJudge(flags.check),
      concurrency,
      retryFailed,
      minValid,
      budget: budgetOf(flags).budget,
      signal,
      store: (result) => file.append(result),
      onResult(result) {
        tellUncounted(result);
        if (flags.quiet !== true) tellResult(`${results.size}/${trials.length}`, result, terminal);
      },
    });
    return measure({ trials, results, repeat, seed, ...end });
  } finally {
    await lock.release();
    await file.close();
  }
}

/** Warns once if a budget does not include a trial, because its model reported no usage. */
function uncountedTeller(flags: CompareFlags, terminal: Terminal): (result: TrialResult) => void {
  const { budget: { tokens, usd } = {} } = budgetOf(flags);
  let isTold = false;
  return ({ status, usage, contestant }) => {
    const isUncounted =
      (tokens !== undefined && usage === undefined) || (usd !== undefined && usage?.costUsd === undefined);
    if (isTold || status !== 'ok' || !isUncounted) return;
    isTold = true;
    const flag = tokens === undefined ? '--budget-usd' : '--budget-tokens';
    tell(
      `Warning: ${flag} does not include the trials of ${contestant}, because its model reported no usage. Limit them with --repeat or fewer items.`,
      terminal,
      'bad',
    );
  };
}

function tellResult(count: string, result: TrialResult, terminal: Terminal): void {
  const outcome =
    result.status === 'ok'
      ? result.right === false
        ? 'valid, wrong'
        : 'valid'
      : result.status === 'failed'
        ? `failed, ${result.error.code ?? result.error.name}`
        : result.status;
  const { contestant, line, repeat, durationMs } = result;
  const isGood = result.status === 'ok' && result.right !== false;
  tell(
    `${count} ${contestant}, item ${line}, repeat ${repeat}: ${outcome} (${(durationMs / 1_000).toFixed(1)} s)`,
    terminal,
    isGood ? 'good' : 'bad',
  );
}

/** Without trials, a threshold counts as missed: a check without data must not pass. */
function missedBars({ rows, isBudgetSpent }: Comparison, flags: CompareFlags): string[] {
  const bars = [
    ['valid on the first try', flags.minFirstTry, ({ firstTry }: ContestantRow) => firstTry],
    ['valid', flags.minValid, ({ valid }: ContestantRow) => valid],
    ['right', flags.minRight, ({ right }: ContestantRow) => right],
  ] as const;
  const missed = rows.flatMap((row) =>
    bars.flatMap(([name, bar, rateOf]) => {
      if (bar === undefined) return [];
      const rate = rateOf(row);
      if (rate !== undefined && rate.trials > 0 && rate.rate >= bar) return [];
      const reached = rate === undefined || rate.trials === 0 ? 'no answers are' : showRate(rate);
      return [`Missed: ${row.contestant}: ${reached} ${name}; expected at least ${Math.round(bar * 100)} %.`];
    }),
  );
  const spent = 'The budget was spent before all trials had run. Raise it, then run the command again.';
  return [...missed, ...(isBudgetSpent ? [spent] : [])];
}
