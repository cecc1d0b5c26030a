/**
 * Closing lines of a run: the reason for its end, the winner, the cost, and agents with more than
 * one call per answer. Pure.
 */
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import type { ComplianceRow } from '@truecast/ensemble/internal/projections/compliance';
import { toTerminalText } from 'truecast/internal/support/terminal-text';
import { counted, type RunSpent } from './run-budget.ts';
import { indented, quiet, textIn, type ViewLine } from './view-line.ts';
import { wrapText } from '../../terminal/wrap-text.ts';

const REASONS: Readonly<Record<string, string>> = {
  verdict: 'by verdict',
  turns: 'all turns are used',
  budget: 'the budget is spent',
  failed: 'too many failures in a row',
  'no-progress': 'no usable answer in two turns',
  user_stop: 'stopped',
};

/** Announces the judges' final turn, and the reason. */
export function closingLines(payload: LedgerEvent['payload']): readonly ViewLine[] {
  const limit = textIn(payload, 'limit');
  const why = `${wordsFor(textIn(payload, 'reason'))}${limit === '' ? '' : ` (${limit})`}`;
  return [[], [quiet(toTerminalText(`── ${why} ──`))]];
}

export interface Ending {
  readonly spent: RunSpent;
  readonly width: number;
  readonly rows: readonly ComplianceRow[];
}

export function endingLines({ payload }: LedgerEvent, { spent, width, rows }: Ending): readonly ViewLine[] {
  const { turns } = payload;
  const account = [
    counted(typeof turns === 'number' ? turns : 0, 'turn'),
    counted(spent.calls, 'call'),
    ...(spent.tokens === undefined ? [] : [counted(spent.tokens, 'token')]),
    ...(spent.usd > 0 ? [`$${spent.usd.toFixed(2)}`] : []),
    `${sum(rows, 'validOnFirstTry')} of ${sum(rows, 'answers')} answers valid on the first try`,
  ];
  const heading = `${describeWinner(payload)} · ${wordsFor(textIn(payload, 'reason'))}`;
  return [
    [],
    ...wrapText(heading, width).map((line): ViewLine => [{ text: line, tone: 'title' }]),
    ...indented(account.join(' · '), width, 'plain'),
    ...rows.filter(isDoubtful).flatMap((row) => indented(describeRow(row), width, 'doubtful')),
  ];
}

function wordsFor(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? reason) : reason;
}

function describeWinner(payload: LedgerEvent['payload']): string {
  const winner = textIn(payload, 'winner');
  if (winner === '') return 'No winner';
  const { winners } = payload;
  const isTeam = textIn(payload, 'winner_kind') === 'team';
  return `Winner: ${winner}${isTeam && Array.isArray(winners) ? ` (${winners.join(', ')})` : ''}`;
}

function isDoubtful({ answers, validOnFirstTry }: ComplianceRow): boolean {
  return validOnFirstTry < answers;
}

function describeRow(row: ComplianceRow): string {
  const counts = {
    're-asked': row.reAsked,
    repaired: row.repaired,
    coerced: row.coerced,
    raw: row.raw,
    skipped: row.skipped,
    'no contest': row.noContest,
  };
  const told = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]));
  const kind = row.kind === 'agent.spoke' ? '' : ` ${row.kind}`;
  return [`${row.agent}${kind}: ${row.validOnFirstTry} of ${row.answers} on the first try`, ...told].join(
    ', ',
  );
}

function sum(rows: readonly ComplianceRow[], name: 'answers' | 'validOnFirstTry'): number {
  return rows.reduce((total, row) => total + row[name], 0);
}
