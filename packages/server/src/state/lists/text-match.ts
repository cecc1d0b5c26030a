/** Search for a text in a column. Wildcard characters are ordinary text. */
import type { Expression, SqlBool } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';

/**
 * Condition of rows whose column contains `text`. Case is ignored, except for non-ASCII letters on
 * SQLite.
 */
export function containsText(
  column: 'title' | 'name' | 'prompt_preview' | 'branch',
  text: string,
): () => Expression<SqlBool> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/gu, '\\$&')}%`;
  return () => sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}
