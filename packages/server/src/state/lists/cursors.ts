/** Cursors of lists that are ordered by their creation, the newest first. */
import { sql, type Expression, type SqlBool } from 'kysely';

/** Rows of such a list. */
interface CreatedRow {
  readonly id: string;
  readonly created_at: number;
}

/** Condition of the rows after a cursor. An invalid cursor starts at the first page. */
export function afterCursor(cursor: string): () => Expression<SqlBool> {
  const [time = '', ...rest] = cursor.split('.');
  const createdAt = Number.isSafeInteger(Number(time)) ? Number(time) : 0;
  const id = rest.join('.');
  return () => sql<SqlBool>`(created_at < ${createdAt} or (created_at = ${createdAt} and id < ${id}))`;
}

/** Cuts a page out of its rows and one more. */
export function cutPage<TRow extends CreatedRow>(
  rows: readonly TRow[],
  limit: number,
): { readonly page: readonly TRow[]; readonly next?: string } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { page, ...(hasMore && { next: `${last.created_at}.${last.id}` }) };
}
