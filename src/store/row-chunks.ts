/** Owns how much one statement carries: SQLite takes 32,766 values and an expression 1,000 deep, Postgres 65,535 values. */

const ROWS_PER_STATEMENT = 1_000;

/** Cuts rows of up to 32 columns into what one statement takes. */
export function rowChunks<T>(rows: readonly T[], size: number = ROWS_PER_STATEMENT): (readonly T[])[] {
  const count = Math.ceil(rows.length / size);
  return Array.from({ length: count }, (_, at) => rows.slice(at * size, (at + 1) * size));
}
