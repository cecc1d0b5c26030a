/** Receipts as CSV, one line each. Pure. */
import type { ReceiptRow } from './receipt-row.ts';

type Cell = string | number | undefined;

const COLUMNS: Readonly<Record<string, (row: ReceiptRow) => Cell>> = {
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
  const lines = [Object.keys(COLUMNS), ...rows.map((row) => Object.values(COLUMNS).map((cell) => cell(row)))];
  return `${lines.map((cells) => cells.map(quoted).join(',')).join('\r\n')}\r\n`;
}

/** A spreadsheet runs a text that begins with one of these characters. */
const FORMULA = /^[=+\-@\t\r]/u;

function quoted(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const text = cell === undefined ? '' : FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
