/** HTML page of a comparison: rates with intervals, paired tests, and each failure. Pure. */
import type { Comparison, ContestantPair, ContestantRow } from './comparison.ts';
import {
  escapeHtml,
  pageOf,
  countsCell,
  rateCell,
  TABLE_STYLE,
  tableOf,
  type TableRow,
} from '../pages/page-shell.ts';

const COLUMNS = [
  'valid at the first try',
  'valid',
  'right',
  'median time',
  'p95 time',
  'tokens',
  'USD per valid answer',
  'retries',
  'failures',
];
const PAIR_COLUMNS = ['measure', 'trials', 'only the first', 'only the second', 'difference', 'p'];
const STYLE = `${TABLE_STYLE}
.failures { padding-left: 1.2rem; } .failures li { margin: .5rem 0; overflow-wrap: anywhere; }
.failures pre { margin: .2rem 0; white-space: pre-wrap; }`;

export function comparePage(comparison: Comparison): string {
  const { items, repeat, isWeak, rows, pairs, failures } = comparison;
  const weak = isWeak ? `<p><strong>Weak evidence:</strong> ${items} items. Compare at least 20.</p>` : '';
  const list = failures.map(
    ({ contestant, line, repeat: round, message }) =>
      `<li><b>${escapeHtml(contestant)}</b>, item ${line}, repeat ${round}<pre>${escapeHtml(message)}</pre></li>`,
  );
  const body = `<h1>Comparison</h1>
<p class="soft">${items} items, each ${repeat} times per contestant. Bars are 95 % Wilson intervals. Repeats of one item resemble each other, so they count less than trials of other items.</p>
${weak}
<section><h2>Contestants</h2>\n${tableOf('contestant', COLUMNS, rows.map(rowOf))}</section>
${
  pairs.length === 0
    ? ''
    : `<section><h2>Pairs</h2>\n${tableOf('pair', PAIR_COLUMNS, pairs.map(pairRow))}
<p class="soft">Exact paired test by item, on the trials that both have. With many pairs, one small p is expected by chance.</p></section>`
}
${list.length === 0 ? '' : `<section><h2>Failures</h2>\n<ul class="failures">${list.join('\n')}</ul></section>`}`;
  return pageOf({ title: 'Comparison', body, style: STYLE });
}

function rowOf(row: ContestantRow): TableRow {
  const { durationMs: time } = row;
  return {
    name: row.isStopped ? `${row.contestant} (stopped early)` : row.contestant,
    cells: [
      rateCell(row.firstTry),
      rateCell(row.valid),
      row.right === undefined ? '–' : rateCell(row.right),
      time === undefined
        ? '–'
        : `${seconds(time.median)} <span class="soft">${seconds(time.low)} to ${seconds(time.high)}</span>`,
      time === undefined ? '–' : seconds(time.p95),
      row.tokens === undefined ? '–' : String(row.tokens),
      row.costUsdPerValid === undefined ? '–' : row.costUsdPerValid.toFixed(4),
      countsCell(row.retries),
      countsCell(row.failures),
    ],
  };
}

function pairRow({ first, second, measure, ...test }: ContestantPair): TableRow {
  const { pairs, onlyFirst, onlySecond, difference, p } = test;
  const shown = `${difference > 0 ? '+' : ''}${Math.round(difference * 100)} points`;
  return {
    name: `${first} and ${second}`,
    cells: [measure, String(pairs), String(onlyFirst), String(onlySecond), shown, p.toFixed(3)],
  };
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
