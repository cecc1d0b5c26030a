/** Button that saves the loaded receipts as CSV. */
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import { saveFile } from '../parts/save-file.ts';
import { csvOf } from './receipt-csv.ts';
import type { ReceiptRow } from './receipt-row.ts';

export function ExportButton({ rows }: { readonly rows: readonly ReceiptRow[] }): ReactNode {
  return (
    <button
      type="button"
      className="button"
      title={`Save the ${rows.length} loaded receipts as CSV`}
      onClick={() => saveFile('receipts.csv', csvOf(rows), 'text/csv')}
    >
      <Icon name="save" />
      <span className="@max-2xl:sr-only">Export</span>
    </button>
  );
}
