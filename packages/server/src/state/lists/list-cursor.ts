/**
 * Cursor of a list: the value that orders a row, and its id. The console computes the one of a receipt,
 * so this file has no database. Pure.
 */

/** Column that orders a list. An index has the owner, this column and the id. */
export type OrderColumn = 'created_at' | 'updated_at' | RequestNumber | `last_${ChatNumber}`;
type RequestNumber = 'attempt_count' | 'duration_ms' | 'cost_micro_usd';
type ChatNumber = 'attempts' | 'duration_ms' | 'cost_micro_usd';

/** Columns by which requests and runs are listed. */
export const SORT_COLUMNS = {
  created: 'created_at',
  attempts: 'attempt_count',
  duration: 'duration_ms',
  cost: 'cost_micro_usd',
} as const;

/** Returns the cursor of the rows after one. */
export function cursorOf<TColumn extends OrderColumn>(row: OrderedRow<TColumn>, column: TColumn): string {
  return `${row[column]}.${row.id}`;
}

export type OrderedRow<TColumn extends OrderColumn> = { readonly id: string } & Readonly<
  Record<TColumn, number | null>
>;
