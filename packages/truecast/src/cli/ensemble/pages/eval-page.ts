/** Page of an evaluation: intervals of the rates, and the other measures, as one file. Pure. */
import type { Evaluation } from '@truecast/ensemble/internal/projections/evaluation';
import type { RateEstimate } from '@truecast/ensemble/internal/projections/wilson-interval';
import { escapeHtml, pageOf } from './page-shell.ts';

/** An evaluation to show. */
export interface EvalResult {
  readonly name: string;
  readonly runsPerCell: number;
  readonly rows: readonly (Evaluation & { readonly scenario: string; readonly model: string })[];
}

const STYLE = `
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 1rem 0; overflow-x: auto; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .4rem .6rem; border-top: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { border-top: 0; color: var(--soft); font-weight: 500; }
main { max-width: 78rem; }
@media (max-width: 62rem) {
  thead { display: none; }
  table, tbody, tr { display: block; }
  tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  td, td:first-child { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .15rem 0; text-align: right; white-space: normal; }
  td::before { content: attr(data-label); color: var(--soft); text-align: left; }
}
svg { display: block; width: 9rem; height: 1rem; margin-left: auto; }
.track { fill: var(--line); } .range { fill: var(--accent); opacity: .45; } .rate { fill: var(--accent); }`;

const COLUMNS = [
  'valid at the first try',
  'valid',
  'calls per answer',
  'median call',
  'p95 call',
  'tokens',
  'USD',
  'ended',
  'wins',
];

/** Returns the page. */
export function evalPage({ name, runsPerCell, rows }: EvalResult): string {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  const weak = rows.some(({ firstTry }) => firstTry.trials < 20)
    ? '<p><strong>Weak evidence:</strong> a row has fewer than 20 answers.</p>'
    : '';
  const body = `<h1>Evaluation ${escapeHtml(name)}</h1>
<p class="soft">${runsPerCell} runs of each model in each scenario. Bars are 95 % Wilson intervals.</p>
${weak}
${scenarios.map((scenario) => section(scenario, rows)).join('\n')}`;
  return pageOf({ title: `Evaluation ${name}`, body, style: STYLE });
}

function section(scenario: string, rows: EvalResult['rows']): string {
  const lines = rows.filter((row) => row.scenario === scenario).map(line);
  return `<section><h2>${escapeHtml(scenario)}</h2>
<table><thead><tr><th scope="col">model</th>${COLUMNS.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>${lines.join('')}</tbody></table></section>`;
}

function line(row: EvalResult['rows'][number]): string {
  const cells = [
    rateCell(row.firstTry),
    rateCell(row.valid),
    row.callsPerAnswer.toFixed(2),
    `${Math.round(row.callMs.median)} ms`,
    `${Math.round(row.callMs.p95)} ms`,
    String(row.tokens),
    row.costUsd === undefined ? '–' : row.costUsd.toFixed(4),
    counts(row.ended),
    counts(row.wins),
  ];
  const shown = cells.map(
    (cell, index) => `<td data-label="${COLUMNS[index] ?? ''}"><div>${cell}</div></td>`,
  );
  return `<tr><td data-label="model"><b>${escapeHtml(row.model)}</b></td>${shown.join('')}</tr>`;
}

function counts(by: Readonly<Record<string, number>>): string {
  const parts = Object.entries(by).map(([name, count]) => `${escapeHtml(name)} ${count}`);
  return parts.length === 0 ? '–' : parts.join(', ');
}

function rateCell({ rate, low, high, successes, trials }: RateEstimate): string {
  const label = `${successes} of ${trials}, ${percent(low)} to ${percent(high)}`;
  return `<div>${percent(rate)} <span class="soft">${successes}/${trials}</span></div>
<svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="track" width="100" height="8" rx="4"/><rect class="range" x="${low * 100}" width="${Math.max(1, (high - low) * 100)}" height="8" rx="4"/><rect class="rate" x="${Math.min(98.5, rate * 100)}" width="1.5" height="8"/></svg>`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
