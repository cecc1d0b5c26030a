/** Labels of a chat as the text of a column, and the condition that finds one of them. */
import type { Expression, SqlBool } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import type { ChatLabel, ChatLabels } from '../../contract/chat-labels.ts';

/** Returns the column of a chat's row: JSON with sorted keys, and null without labels. */
export function labelsText(labels: ChatLabels): string | null {
  const sorted = Object.entries(labels).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return sorted.length === 0 ? null : JSON.stringify(Object.fromEntries(sorted));
}

/**
 * Condition of rows whose column of JSON has this label. Removing the pair changes only a text that contains it: unlike
 * `like`, this compares case on both databases, and has no wildcards.
 */
export function labelled(
  { key, value }: ChatLabel,
  column: 'labels' | 'metadata' = 'labels',
): () => Expression<SqlBool> {
  const ref = sql.ref(column);
  const pair = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
  return () => sql<SqlBool>`replace(${ref}, ${pair}, '') <> ${ref}`;
}
