/** Ratios of a report: each printed cell that compares a contestant with a peer or a bare call. Pure. */
import type { Report, Table } from './report.ts';

/** A printed ratio. */
export interface Ratio {
  /** `bench | table | row | column`, without figures that change from run to run. */
  readonly key: string;
  readonly value: number;
  /** True if a larger value is worse: our time over another's. False: another's time over ours. */
  readonly isOurs: boolean;
}

/** Columns that compare a row with itself at another size. They show growth, and have no peer. */
const GROWTH = /^(?:growth|\/ at )/u;
/** In these columns, a larger figure of a peer is better for us. */
const OVER_OURS = /\/ truecast$/u;
const OURS = /^truecast\b/u;
/** Bases of a comparison, and calls without anything of ours. */
const BARE = /^(?:truecast|by hand|bare\b.*)$/u;
/** The first column with a figure that a run measures. */
const MEASURED = /(?:^|\W)(?:ms|us|mean|compiled|calls)\b/u;

/** Returns the ratios of a report in the order of the tables. */
export function ratiosOf(report: Report): readonly Ratio[] {
  return report.tables.flatMap((table) => table.rows.flatMap((row) => rowRatios(report.name, table, row)));
}

function rowRatios(bench: string, { title, columns }: Table, row: readonly string[]): readonly Ratio[] {
  const firstFigure = columns.findIndex((column) => MEASURED.test(column));
  const label = row.slice(0, Math.max(1, firstFigure));
  const contestant = label.at(-1) ?? '';
  const table = title.split(/[,;`:]/u)[0]?.trim() ?? '';
  return row.flatMap((cell, index) => {
    const column = columns[index] ?? '';
    const value = readRatio(cell);
    if (value === undefined || GROWTH.test(column)) return [];
    const isOverOurs = OVER_OURS.test(column);
    const isBase = isOverOurs ? BARE.test(contestant) : contestant !== 'truecast' && isForeign(contestant);
    if (isBase) return [];
    const isOurs = !isOverOurs || OURS.test(contestant);
    return [{ key: [bench, table, ...label, column].join(' | '), value, isOurs }];
  });
}

/** A peer over a bare call says nothing about us. */
function isForeign(contestant: string): boolean {
  return BARE.test(contestant) || contestant === 'sandcastle';
}

function readRatio(cell: string): number | undefined {
  const found = /^(?:over )?(?<number>[\d,.]+)x$/u.exec(cell)?.groups?.['number'];
  return found === undefined ? undefined : Number(found.replaceAll(',', ''));
}
