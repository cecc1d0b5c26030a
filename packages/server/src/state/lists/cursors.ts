/** Pagination cursors of lists that are sorted by time, the newest first. */
import { sql, type Expression, type SqlBool } from 'kysely';

/** Column that orders a list. */
export type ListTime = 'created_at' | 'updated_at';

/** Condition of the rows after a cursor. An invalid cursor starts at the first page. */
export function afterCursor(cursor: string, column: ListTime = 'created_at'): () => Expression<SqlBool> {
  const [time = '', ...rest] = cursor.split('.');
  const at = Number.isSafeInteger(Number(time)) ? Number(time) : 0;
  const id = rest.join('.');
  const ref = sql.ref(column);
  return () => sql<SqlBool>`(${ref} < ${at} or (${ref} = ${at} and id < ${id}))`;
}

/** Returns a page from its rows, which include one more than the page. */
export function cutPage<TTime extends ListTime, TRow extends { readonly id: string } & Record<TTime, number>>(
  rows: readonly TRow[],
  limit: number,
  column: TTime,
): { readonly page: readonly TRow[]; readonly next?: string } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { page, ...(hasMore && { next: cursorOf(last, column) }) };
}

/** Returns the cursor of the rows after one. */
export function cursorOf<TTime extends ListTime>(
  row: { readonly id: string } & Record<TTime, number>,
  column: TTime,
): string {
  return `${row[column]}.${row.id}`;
}
