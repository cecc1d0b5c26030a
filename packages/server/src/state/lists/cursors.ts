/** Order of lists in SQL: the rows after a cursor, the rows on one side of a value, and a page of rows. */
import type { Expression, SqlBool } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import type { ListDirection } from '../../contract/run-archive.ts';
import { cursorOf, type OrderColumn, type OrderedRow } from './list-cursor.ts';

export interface ListOrder {
  readonly column: OrderColumn;
  readonly direction: ListDirection;
  /** Cursor of the page. */
  readonly after?: string | undefined;
}

/** Condition of the rows after a cursor. An invalid cursor starts at the first page. */
export function afterCursor(
  cursor: string,
  { column, direction }: Omit<ListOrder, 'after'> = { column: 'created_at', direction: 'desc' },
): () => Expression<SqlBool> {
  const { at, id } = splitCursor(cursor);
  const after = sql.raw(direction === 'desc' ? '<' : '>');
  // Both databases begin to read at a pair. With `or` they read the earlier pages again.
  return () => sql<SqlBool>`(${sql.ref(column)}, id) ${after} (${at}, ${id})`;
}

/** Returns the value and the id of a cursor. */
export function splitCursor(cursor: string): { readonly at: number; readonly id: string } {
  const [value = '', ...rest] = cursor.split('.');
  return { at: Number.isSafeInteger(Number(value)) ? Number(value) : 0, id: rest.join('.') };
}

/**
 * Condition of the rows on one side of a value. SQLite has no statistics, so it gets no choice: with another
 * index than the one of the order it would sort all rows, and with a second bound on the side of the cursor it
 * would read the earlier pages again. A cast hides the column from it. Postgres drops the cast.
 */
export function onSide(
  { column, direction, after }: ListOrder,
  name: OrderColumn,
  side: '>=' | '<',
  value: number,
): () => Expression<SqlBool> {
  const isOfCursor = after !== undefined && (side === '>=') === (direction === 'asc');
  const ref = sql.ref(name);
  const shown = name === column && !isOfCursor ? ref : sql`cast(${ref} as bigint)`;
  return () => sql<SqlBool>`${shown} ${sql.raw(side)} ${value}`;
}

/** Returns a page from its rows, which include one more than the page. */
export function cutPage<TColumn extends OrderColumn, TRow extends OrderedRow<TColumn>>(
  rows: readonly TRow[],
  limit: number,
  column: TColumn,
): { readonly page: readonly TRow[]; readonly next?: string } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { page, ...(hasMore && { next: cursorOf(last, column) }) };
}
