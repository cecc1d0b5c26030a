/** Figures of `docs/compare-glue.md`: the lines of the two tables, from the report. */
import { FAULTS } from './faults.ts';
import type { PlayRow, Report, Side } from './report.ts';
import { SCENARIOS } from './scenarios.ts';

const JOBS = Object.keys(SCENARIOS).map(Number);

/** Returns both tables, between the markers of the page. */
export function figureLines(report: Report): string {
  const sum = (side: Side, jobs: readonly number[]): number =>
    report.lines
      .filter((row) => row.side === side && jobs.includes(row.job))
      .reduce((all, row) => all + row.lines, 0);
  const cells = (title: string, jobs: readonly number[]): string =>
    `| ${[
      title,
      sum('ours', jobs),
      sum('glue', jobs),
      ...(['ours', 'glue'] as const).map((side) => played(report, side, jobs, 'none')),
      ...(['ours', 'glue'] as const).map((side) => played(report, side, jobs, 'faults')),
      ...(['ours', 'glue'] as const).map((side) => silent(report, side, jobs)),
    ].join(' | ')} |`;
  return [
    '| job | lines: ours | glue | without a fault: ours | glue | faults survived: ours | glue | silent wrong: ours | glue |',
    '|---|---|---|---|---|---|---|---|---|',
    ...JOBS.map((job) => cells(`${job}. ${SCENARIOS[job]?.title ?? ''}`, [job])),
    `| shared file of the programs | ${sum('ours', [0])} | ${sum('glue', [0])} | | | | | | |`,
    cells('**all**', [0, ...JOBS]),
    '',
    '| play | side | verdict |',
    '|---|---|---|',
    ...report.plays
      .filter(({ verdict }) => verdict !== 'survived')
      .map((row) => `| ${titleOf(row)} | ${row.side} | ${row.verdict} |`),
  ].join('\n');
}

function titleOf({ job, fault }: PlayRow): string {
  if (fault === 'none') return `${job}, without a fault`;
  return `${fault}: ${FAULTS.find(({ id }) => id === fault)?.title ?? ''}`;
}

function played({ plays }: Report, side: Side, jobs: readonly number[], which: 'none' | 'faults'): string {
  const rows = plays.filter(
    (row) => row.side === side && jobs.includes(row.job) && (row.fault === 'none') === (which === 'none'),
  );
  return `${rows.filter(({ verdict }) => verdict === 'survived').length} of ${rows.length}`;
}

function silent({ plays }: Report, side: Side, jobs: readonly number[]): number {
  return plays.filter((row) => row.side === side && jobs.includes(row.job) && row.verdict === 'silent-wrong')
    .length;
}
