/** Text tables for a terminal: columns are dropped where they do not fit, and then each row is a block. Pure. */
import { columnsOf } from 'truecast/internal/support/terminal-text';
import type { RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';

interface TableLayout {
  /** Indexes of the right-aligned columns. */
  readonly rightAligned: readonly number[];
  /** Columns of the terminal. @default no limit */
  readonly columns?: number;
  /** Indexes of columns that can be dropped, the least important first. @default [] */
  readonly droppable?: readonly number[];
}

/**
 * Returns lines with columns as wide as their widest cell, separated by two spaces. The first row
 * is the header. Control characters are removed.
 */
export function renderTable(rows: readonly (readonly string[])[], layout: TableLayout): string {
  const { rightAligned, columns = Infinity, droppable = [] } = layout;
  const clean = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, ' ')));
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(...clean.map((row) => columnsOf(row[column] ?? ''))),
  );
  let kept = widths.map((_, column) => column);
  for (const column of droppable) {
    if (totalOf(kept, widths) > columns) kept = kept.filter((each) => each !== column);
  }
  if (totalOf(kept, widths) > columns) return renderBlocks(clean);
  const alignCell = (cell: string, column: number): string => {
    const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(cell)));
    return rightAligned.includes(column) ? space + cell : cell + space;
  };
  return clean
    .map((row) =>
      kept
        .map((column) => alignCell(row[column] ?? '', column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function totalOf(kept: readonly number[], widths: readonly number[]): number {
  return kept.reduce((sum, column) => sum + (widths[column] ?? 0) + 2, -2);
}

/** One block for each row: its cells below each other, after their names. */
function renderBlocks([header = [], ...rows]: readonly (readonly string[])[]): string {
  const width = Math.max(0, ...header.map(columnsOf));
  const toBlock = (row: readonly string[]): string =>
    row
      .map((cell, column) => [header[column] ?? '', cell] as const)
      .filter(([, cell]) => cell !== '')
      .map(([name, cell]) => `${name}${' '.repeat(width - columnsOf(name))}  ${cell}`)
      .join('\n');
  return rows.map(toBlock).join('\n\n');
}

/** Returns `93 % (84–97)`: the rate, and its 95 % interval. `-` without trials. */
export function showRate(estimate: RateEstimate): string {
  const { rate, trials } = estimate;
  return trials === 0 ? '-' : `${Math.round(rate * 100)} % ${showInterval(estimate)}`;
}

/** Returns `(84–97)`: the 95 % interval in percent. */
export function showInterval({ low, high }: RateEstimate): string {
  return `(${Math.round(low * 100)}–${Math.round(high * 100)})`;
}
