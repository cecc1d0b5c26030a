/** Rows of receipts: the result of each request, or the reason for its failure. */
import type { ReactNode } from 'react';
import { ModelName } from '../parts/model-name.tsx';
import { RequestStatusWord } from '../parts/status-word.tsx';
import { Table, type Column, type Selection } from '../parts/list/table.tsx';
import { answerColumns } from '../value/answer-columns.tsx';
import { FailureLine } from '../value/failure-line.tsx';
import { previewText } from '../value/preview-text.ts';
import type { ReceiptRow } from './receipt-row.ts';

const COLUMNS: readonly Column<ReceiptRow>[] = [
  { head: 'Schema', track: 'minmax(0,92px)', cell: ({ name = 'answer' }) => <code>{name}</code> },
  {
    head: 'Model',
    track: 'minmax(0,156px)',
    cell: ({ model }) => model && <ModelName id={model} />,
    folded: ({ model }) => model,
  },
  ...answerColumns<ReceiptRow>(({ status, attempts, duration_ms: ms, usage }) => ({
    status,
    attempts: attempts.length,
    ms,
    costUsd: usage?.cost_usd,
  })),
];

interface RowsProps {
  readonly requests: readonly ReceiptRow[];
  /** True for a list on a page with other parts. @default false */
  readonly isPanel?: boolean;
  /** Ids of the chosen requests, and their change. @default no boxes */
  readonly selection?: Omit<Selection<ReceiptRow>, 'nameOf'>;
  /** Filters and order of the list, for the neighbours of a receipt. @default all receipts, newest first */
  readonly search?: string;
  /** True if the server ordered them by the address. @default false */
  readonly isOrdered?: boolean;
}

/** Renders one link per request. */
export function ReceiptRows({
  requests,
  isPanel = false,
  selection,
  search = '',
  isOrdered = false,
}: RowsProps): ReactNode {
  return (
    <Table
      label="Receipts"
      rows={requests}
      keyOf={({ request_id: id }) => id}
      hrefOf={(row) => `${receiptPath(row)}${search}`}
      state={({ status }) => <RequestStatusWord status={status} />}
      titleHead="Question and outcome"
      title={titleOfReceipt}
      outcome={Outcome}
      columns={COLUMNS}
      timeHead="Asked"
      timeOf={({ created_at: at }) => at}
      isPanel={isPanel}
      isOrdered={isOrdered}
      {...(selection !== undefined && { selection: { ...selection, nameOf: titleOfReceipt } })}
    />
  );
}

/** Returns the address of a receipt's page. */
export function receiptPath({
  chat_id: chat,
  request_id: id,
}: Pick<ReceiptRow, 'chat_id' | 'request_id'>): string {
  return `/chats/${chat}/requests/${id}`;
}

function titleOfReceipt({ question_preview: question, name = 'Answer' }: ReceiptRow): string {
  return question ?? name;
}

function Outcome({ value_preview: value, error, first_issue: issue, attempts }: ReceiptRow): ReactNode {
  if (value !== undefined) return <code className="block truncate text-muted">{previewText(value)}</code>;
  if (error === undefined) return <span className="text-muted">No value yet.</span>;
  return <FailureLine issue={issue} message={error.message} attempts={attempts.length} />;
}
