/** Rows of receipts: the result of each request, or the reason for its failure. */
import type { ReactNode } from 'react';
import { duration, money } from '../parts/format.ts';
import { ModelName } from '../parts/model-name.tsx';
import { RequestStatusWord } from '../parts/status-word.tsx';
import { Table, type Column, type Selection } from '../parts/list/table.tsx';
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
  {
    head: 'Attempts',
    track: '84px',
    isNumber: true,
    isLast: true,
    noun: 'attempts',
    orderBy: ({ attempts }) => attempts.length,
    cell: ({ attempts }) => attempts.length || undefined,
    mark: AttemptDots,
    // The line of a failure has them.
    folded: ({ attempts, status }) => (status === 'failed' ? undefined : attempts.length || undefined),
  },
  {
    head: 'Time',
    track: '56px',
    isNumber: true,
    orderBy: ({ duration_ms: ms }) => ms,
    cell: ({ duration_ms: ms }) => (ms === undefined ? undefined : duration(ms)),
  },
  {
    head: 'Cost',
    track: '64px',
    isNumber: true,
    isLast: true,
    orderBy: ({ usage }) => usage?.cost_usd,
    cell: ({ usage }) => (usage?.cost_usd === undefined ? undefined : money(usage.cost_usd)),
  },
];

interface RowsProps {
  readonly requests: readonly ReceiptRow[];
  /** True for a list on a page with other parts. @default false */
  readonly isPanel?: boolean;
  /** Ids of the chosen requests, and their change. @default no boxes */
  readonly selection?: Omit<Selection<ReceiptRow>, 'nameOf'>;
  /** True if older receipts are not read yet. @default false */
  readonly hasMore?: boolean;
}

/** Renders one link per request. */
export function ReceiptRows({ requests, isPanel = false, selection, hasMore = false }: RowsProps): ReactNode {
  return (
    <Table
      label="Receipts"
      rows={requests}
      keyOf={({ request_id: id }) => id}
      hrefOf={({ chat_id: chat, request_id: id }) => `/chats/${chat}/requests/${id}`}
      state={({ status }) => <RequestStatusWord status={status} />}
      titleHead="Question and outcome"
      title={titleOfReceipt}
      outcome={Outcome}
      columns={COLUMNS}
      timeHead="Asked"
      timeOf={({ created_at: at }) => at}
      isPanel={isPanel}
      hasMore={hasMore}
      {...(selection !== undefined && { selection: { ...selection, nameOf: titleOfReceipt } })}
    />
  );
}

function titleOfReceipt({ question_preview: question, name = 'Answer' }: ReceiptRow): string {
  return question ?? name;
}

const DOTS = 5;

/** One dot for each attempt, the last one green if it was valid. */
function AttemptDots({ attempts, status }: ReceiptRow): ReactNode {
  const { length } = attempts;
  if (length === 0) return null;
  return (
    <span aria-hidden="true" className="ml-2 inline-flex gap-[3px] align-middle">
      {Array.from({ length: DOTS }, (_none, index) => {
        const isEnd = index === Math.min(length, DOTS) - 1;
        const look =
          index >= length ? 'bg-edge' : isEnd && status === 'succeeded' ? 'bg-ok-fill' : 'bg-bad-fill';
        // Dots have no identity except their order.
        return <span key={index} className={`size-[5px] rounded-full ${look}`} />;
      })}
    </span>
  );
}

function Outcome({ value_preview: value, error, first_issue: issue, attempts }: ReceiptRow): ReactNode {
  if (value !== undefined) return <code className="block truncate text-muted">{previewText(value)}</code>;
  if (error === undefined) return <span className="text-muted">No value yet.</span>;
  return <FailureLine issue={issue} message={error.message} attempts={attempts.length} />;
}
