/**
 * Batch size of one statement. SQLite takes 32,766 parameters and an expression depth of 1,000,
 * Postgres 65,535 parameters.
 */

const ROWS_PER_STATEMENT = 1_000;

/** Splits rows of up to 32 columns into batches for one statement each. */
export function rowChunks<T>(rows: readonly T[], size: number = ROWS_PER_STATEMENT): (readonly T[])[] {
  const count = Math.ceil(rows.length / size);
  return Array.from({ length: count }, (_, at) => rows.slice(at * size, (at + 1) * size));
}
