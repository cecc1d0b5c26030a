/** Terminal tables of a comparison. Pure. */
import { renderTable, showRate } from '../terminal/render-table.ts';
import type { Comparison, ContestantPair, ContestantRow } from './comparison.ts';

const HEADER = [
  'contestant',
  'trials',
  'first try',
  'valid',
  'right',
  'median',
  'p95',
  'tokens',
  'USD/valid',
  'failures',
];

/** Returns the contestants, and each pair that differs. */
export function compareTable({ rows, pairs, isWeak, items }: Comparison, columns: number): string {
  const table = renderTable([HEADER, ...rows.map(cellsOf)], {
    rightAligned: [1, 2, 3, 4, 5, 6, 7, 8],
    columns,
    droppable: [7, 6, 8, 1, 9],
  });
  const weak = isWeak ? `Weak evidence: ${items} items. Compare at least 20.\n` : '';
  const differing = pairs.filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0);
  const tests = differing.map((pair) => `${describePair(pair)}\n`);
  return `${table}\n${[...(tests.length > 0 ? ['\n'] : []), ...tests].join('')}${weak}`;
}

function cellsOf(row: ContestantRow): string[] {
  const { durationMs: time, failures } = row;
  const codes = Object.entries(failures).map(([code, count]) => `${code} ${count}`);
  return [
    row.contestant,
    String(row.valid.trials),
    showRate(row.firstTry),
    showRate(row.valid),
    row.right === undefined ? '-' : showRate(row.right),
    time === undefined ? '-' : `${(time.median / 1_000).toFixed(1)} s`,
    time === undefined ? '-' : `${(time.p95 / 1_000).toFixed(1)} s`,
    row.tokens === undefined ? '-' : String(row.tokens),
    row.costUsdPerValid === undefined ? '-' : row.costUsdPerValid.toFixed(4),
    `${codes.join(', ') || '-'}${row.isStopped ? ' (stopped early)' : ''}`,
  ];
}

function describePair({ first, second, measure, onlyFirst, onlySecond, pairs, p }: ContestantPair): string {
  return `${first} and ${second} differ in ${onlyFirst + onlySecond} of ${pairs} trials: ${measure} ${onlyFirst} and ${onlySecond}, p = ${p.toFixed(3)}`;
}
