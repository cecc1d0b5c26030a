/** Page that is one file: no network, both color schemes, data as JSON, and tables of rates. Pure. */

import type { RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';

interface PageParts {
  readonly title: string;
  /** Content of the body, as HTML. */
  readonly body: string;
  readonly style: string;
  /** A script that reads the element `data`. @default none */
  readonly script?: string;
  /** Data that the script reads. */
  readonly data?: unknown;
}

const BASE_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b1b1f, #ececf1); --soft: light-dark(#5c5c66, #a5a5b2);
  --line: light-dark(#dcdce2, #34343c); --page: light-dark(#fbfbfc, #131316); --card: light-dark(#fff, #1c1c21);
  --good: light-dark(#17703a, #5fd08a); --warn: light-dark(#8a5a00, #f0b84b); --accent: light-dark(#2f4fd0, #93a8ff); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }`;

/** Returns the page. Its content security policy allows only the parts in the page. */
export function pageOf({ title, body, style, script, data }: PageParts): string {
  const json = JSON.stringify(data ?? null).replaceAll('<', '\\u003c');
  const scripts =
    script === undefined
      ? ''
      : `<script type="application/json" id="data">${json}</script>\n<script>${script}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${BASE_STYLE}${style}</style>
</head>
<body>
<main>
${body}
</main>
${scripts}</body>
</html>
`;
}

/** Escapes a text for HTML, and removes control characters and bidirectional marks. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

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
