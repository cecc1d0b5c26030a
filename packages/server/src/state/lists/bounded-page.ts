/** A page of rows that is bounded in rows and in bytes. A row alone can have a megabyte. */
import type { AliasedRawBuilder } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';

/** Rows that are read at once without a look at their sizes: most reads have fewer. */
const UNMEASURED_ROWS = 3;
const MAX_ROWS = 200;
const PAGE_BYTES = 256 * 1024;

/** The part of a query builder that a page needs. */
interface Limited<TRow> {
  limit(count: number): { execute(): Promise<TRow[]> };
}

export interface PageBounds {
  /** @default 200 */
  readonly maxRows?: number;
  /** @default 256 KiB */
  readonly maxBytes?: number;
}

/** Selects the size of the texts in columns. Neither database reads the texts for it. */
export function bytesOf(...columns: readonly string[]): AliasedRawBuilder<number, 'size'> {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  return sql<number>`${sql.join(sizes, sql` + `)}`.as('size');
}

/** The rows of a query that fit into a page, and at least two if there are two. */
export async function readPage<TRow>(
  rows: Limited<TRow>,
  sizes: Limited<{ readonly size: number }>,
  { maxRows = MAX_ROWS, maxBytes = PAGE_BYTES }: PageBounds = {},
): Promise<{ readonly rows: readonly TRow[]; readonly isCut: boolean }> {
  const unmeasured = Math.min(UNMEASURED_ROWS, maxRows + 1);
  const first = await rows.limit(unmeasured).execute();
  if (first.length < unmeasured) return { rows: first, isCut: false };
  const measured = await sizes.limit(maxRows + 1).execute();
  let bytes = 0;
  let count = 0;
  while (count < Math.min(measured.length, maxRows) && bytes <= maxBytes) {
    bytes += measured[count - 1]?.size ?? 0;
    count += 1;
  }
  const isCut = count < measured.length;
  return { rows: count <= first.length ? first.slice(0, count) : await rows.limit(count).execute(), isCut };
}
