/** Table of rates with their intervals, on pages of comparisons. Pure. */
import type { RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';
import { escapeHtml } from './page-shell.ts';

/** Style of the tables. On a narrow screen each row is a block. */
export const TABLE_STYLE = `
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
  td, td:first-child { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .15rem 0; text-align: right; white-space: normal; overflow-wrap: anywhere; }
  td::before { content: attr(data-label); color: var(--soft); text-align: left; }
}
svg { display: block; width: 9rem; height: 1rem; margin-left: auto; }
.track { fill: var(--line); } .range { fill: var(--accent); opacity: .45; } .rate { fill: var(--accent); }`;

/** A row: its name, and cells of HTML. */
export interface TableRow {
  readonly name: string;
  readonly cells: readonly string[];
}

/** Returns a table. `heading` is the label of the names. */
export function tableOf(heading: string, columns: readonly string[], rows: readonly TableRow[]): string {
  const head = [heading, ...columns].map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const lines = rows.map(({ name, cells }) => {
    const shown = cells.map(
      (cell, index) => `<td data-label="${escapeHtml(columns[index] ?? '')}"><div>${cell}</div></td>`,
    );
    return `<tr><td data-label="${escapeHtml(heading)}"><b>${escapeHtml(name)}</b></td>${shown.join('')}</tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead>\n<tbody>${lines.join('')}</tbody></table>`;
}

/** Returns a cell with the rate, its counts, and a bar of its interval. */
export function rateCell({ rate, low, high, successes, trials }: RateEstimate): string {
  const label = `${successes} of ${trials}, ${percent(low)} to ${percent(high)}`;
  return `<div>${percent(rate)} <span class="soft">${successes}/${trials}</span></div>
<svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="track" width="100" height="8" rx="4"/><rect class="range" x="${low * 100}" width="${Math.max(1, (high - low) * 100)}" height="8" rx="4"/><rect class="rate" x="${Math.min(98.5, rate * 100)}" width="1.5" height="8"/></svg>`;
}

/** Returns `name 3, other 1`, escaped. */
export function countsCell(by: Readonly<Record<string, number>>): string {
  const parts = Object.entries(by).map(([name, count]) => `${escapeHtml(name)} ${count}`);
  return parts.length === 0 ? '–' : parts.join(', ');
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
