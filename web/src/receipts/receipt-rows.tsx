/** Rows of receipts: the result of each request, or the reason for its failure. */
import type { ReactNode } from 'react';
import type { RequestView } from '@truecast/client/internal/wire/request';
import { duration, money } from '../parts/format.ts';
import { ModelName } from '../parts/model-name.tsx';
import { RequestStatusWord } from '../parts/status-word.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { FailureLine } from '../value/failure-line.tsx';
import { previewText } from '../value/preview-text.ts';

/** The fields of a request that a row shows. */
export type ReceiptRow = Pick<
  RequestView,
  | 'request_id'
  | 'chat_id'
  | 'name'
  | 'status'
  | 'model'
  | 'duration_ms'
  | 'created_at'
  | 'value_preview'
  | 'question_preview'
  | 'first_issue'
  | 'usage'
> & {
  readonly error?: { readonly message: string };
  readonly attempts: readonly unknown[];
};

const COLUMNS: readonly Column<ReceiptRow>[] = [
  { head: 'Schema', track: 'minmax(0,110px)', cell: ({ name = 'answer' }) => <code>{name}</code> },
  {
    head: 'Model',
    track: 'minmax(0,180px)',
    cell: ({ model }) => model && <ModelName id={model} />,
    folded: ({ model }) => model,
  },
  {
    head: 'Attempts',
    track: '60px',
    isNumber: true,
    isLast: true,
    noun: 'attempts',
    cell: ({ attempts }) => attempts.length || undefined,
    // The line of a failure has them.
    folded: ({ attempts, status }) => (status === 'failed' ? undefined : attempts.length || undefined),
  },
  {
    head: 'Time',
    track: '56px',
    isNumber: true,
    cell: ({ duration_ms: ms }) => (ms === undefined ? undefined : duration(ms)),
  },
  {
    head: 'Cost',
    track: '64px',
    isNumber: true,
    isLast: true,
    cell: ({ usage }) => (usage?.cost_usd === undefined ? undefined : money(usage.cost_usd)),
  },
];

interface RowsProps {
  readonly requests: readonly ReceiptRow[];
  /** True for a list on a page with other parts. @default false */
  readonly isPanel?: boolean;
}

/** Renders one link per request. */
export function ReceiptRows({ requests, isPanel }: RowsProps): ReactNode {
  return (
    <Table
      label="Receipts"
      rows={requests}
      keyOf={({ request_id: id }) => id}
      hrefOf={({ chat_id: chat, request_id: id }) => `/chats/${chat}/requests/${id}`}
      state={({ status }) => <RequestStatusWord status={status} />}
      titleHead="Question and outcome"
      title={({ question_preview: question, name = 'Answer' }) => question ?? name}
      outcome={Outcome}
      columns={COLUMNS}
      timeHead="Asked"
      timeOf={({ created_at: at }) => at}
      {...(isPanel === true && { isPanel })}
    />
  );
}

function Outcome({ value_preview: value, error, first_issue: issue, attempts }: ReceiptRow): ReactNode {
  if (value !== undefined) return <code className="block truncate text-muted">{previewText(value)}</code>;
  if (error === undefined) return <span className="text-muted">No value yet.</span>;
  return <FailureLine issue={issue} message={error.message} attempts={attempts.length} />;
}
