/** Page of an evaluation: intervals of the rates, and the other measures, as one file. Pure. */
import type { Evaluation } from '@truecast/ensemble/internal/projections/evaluation';
import { inGroups } from 'truecast/internal/support/in-groups';
import { escapeHtml, pageOf, countsCell, rateCell, TABLE_STYLE, tableOf } from '../../pages/page-shell.ts';

export interface EvalResult {
  readonly name: string;
  readonly runsPerCell: number;
  readonly rows: readonly (Evaluation & { readonly scenario: string; readonly model: string })[];
}

const COLUMNS = [
  'first try',
  'valid',
  'calls per answer',
  'median call',
  'p95 call',
  'tokens',
  'USD',
  'ended',
  'wins',
];

export function evalPage({ name, runsPerCell, rows }: EvalResult): string {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  const weak = rows.some(({ firstTry }) => firstTry.trials < 20)
    ? '<p><strong>Weak evidence:</strong> a row has fewer than 20 answers.</p>'
    : '';
  const body = `<h1>Evaluation ${escapeHtml(name)}</h1>
<p class="soft">${runsPerCell} runs of each model in each scenario. Bars are 95 % Wilson intervals.</p>
${weak}
${scenarios.map((scenario) => section(scenario, rows)).join('\n')}`;
  return pageOf({ title: `Evaluation ${name}`, body, style: TABLE_STYLE });
}

function section(scenario: string, rows: EvalResult['rows']): string {
  const lines = rows
    .filter((row) => row.scenario === scenario)
    .map((row) => ({ name: row.model, cells: cellsOf(row) }));
  return `<section><h2>${escapeHtml(scenario)}</h2>\n${tableOf('model', COLUMNS, lines)}</section>`;
}

function cellsOf(row: EvalResult['rows'][number]): string[] {
  return [
    rateCell(row.firstTry),
    rateCell(row.valid),
    row.callsPerAnswer.toFixed(2),
    `${Math.round(row.callMs.median)} ms`,
    `${Math.round(row.callMs.p95)} ms`,
    row.tokens === undefined ? '–' : inGroups(row.tokens),
    row.costUsd === undefined ? '–' : row.costUsd.toFixed(4),
    countsCell(row.ended),
    countsCell(row.wins),
  ];
}
