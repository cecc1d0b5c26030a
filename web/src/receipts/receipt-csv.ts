/** Receipts as CSV, one line each. Pure. */
import { csvText, type CsvCell } from '../parts/csv.ts';
import type { ReceiptRow } from './receipt-row.ts';

const COLUMNS: Readonly<Record<string, (row: ReceiptRow) => CsvCell>> = {
  request_id: (row) => row.request_id,
  chat_id: (row) => row.chat_id,
  created_at: (row) => row.created_at,
  status: (row) => row.status,
  question: (row) => row.question_preview,
  schema: (row) => row.name,
  model: (row) => row.model,
  attempts: (row) => row.attempts.length,
  duration_ms: (row) => row.duration_ms,
  cost_usd: (row) => row.usage?.cost_usd,
  value: (row) => row.value_preview,
  issue_path: (row) => row.first_issue?.path,
  issue: (row) => row.first_issue?.message ?? row.error?.message,
  issue_got: (row) => row.first_issue?.got,
};

export function csvOf(rows: readonly ReceiptRow[]): string {
  const lines = rows.map((row) => Object.values(COLUMNS).map((cell) => cell(row)));
  return csvText([Object.keys(COLUMNS), ...lines]);
}
