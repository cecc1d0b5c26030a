/**
 * Matrix of a long proof: agent CLIs, engines or databases (rows) against cases (columns). The
 * short form tries every row and every column, `npm run test:matrix` tries every pair.
 */
import { it } from 'vitest';

type Form = 'short' | 'whole';

export const FORM: Form = process.env['TRUECAST_MATRIX'] === 'whole' ? 'whole' : 'short';

/**
 * Docker and Podman beside bubblewrap, which tries each of these columns in every form and with a tenth of
 * the processes: the short form tries a tenth in each engine. Both rows contain a column of every list of
 * three or more.
 */
export const BESIDE_BUBBLEWRAP: MatrixOptions = { rows: 10, stride: 10 };
/** Rows of `BESIDE_BUBBLEWRAP`: Podman tries columns 0, 10 and so on, Docker 2, 12 and so on. */
export const ENGINE_ROWS = { podman: 0, docker: 8 } as const;

export interface MatrixOptions {
  /**
   * Number of rows that have these columns. The short form never skips more columns than the other
   * rows take.
   */
  readonly rows: number;
  /** The short form takes each `stride`-th column. @default 3 */
  readonly stride?: number;
  /** @default the form that this run of the tests was started with */
  readonly form?: Form;
}

/**
 * Returns the columns of a row that the form tries; none of a row that it leaves out (below 0). Neighbouring rows try different columns, so
 * that `stride` rows try all.
 */
export function matrixColumns<Column>(
  row: number,
  columns: readonly Column[],
  { rows, stride = 3, form = FORM }: MatrixOptions,
): readonly Column[] {
  if (row < 0) return [];
  const step = Math.min(stride, rows);
  return form === 'whole' ? columns : columns.filter((_column, index) => (row + index) % step === 0);
}

/** Returns true if the form tries this column in this row. No column of a row below 0 is tried. */
export function triesColumn(row: number, column: number, options: MatrixOptions): boolean {
  return row >= 0 && matrixColumns(row + column, [column], options).length > 0;
}

/** Declares one test. */
export type DeclareTest = (name: string, test: () => Promise<void>) => void;

/**
 * Returns a function that declares the next column's test if the form tries it in this row.
 *
 * @param declare - declares a test that is tried. @default `it` of Vitest
 */
export function matrixRow(row: number, options: MatrixOptions, declare: DeclareTest = it): DeclareTest {
  let column = 0;
  return (name, test) => {
    if (triesColumn(row, column, options)) declare(name, test);
    column += 1;
  };
}

/**
 * Declares a test of the whole form alone: another suite of the short form tries the same code end to end. In the
 * short form nothing is declared, so that nothing counts as skipped.
 */
export const itWhole: DeclareTest = (name, test) => {
  if (FORM === 'whole') it(name, test);
};

/** Cases that the form tries: the first `count` in the short form, and all in the whole matrix. */
export function matrixCases<Case>(count: number, cases: readonly Case[]): readonly Case[] {
  return FORM === 'whole' ? cases : cases.slice(0, count);
}

/** Runs of a property: `short` in the short form, `whole` in the whole matrix. */
export function matrixRuns(short: number, whole: number): number {
  return FORM === 'whole' ? whole : short;
}
