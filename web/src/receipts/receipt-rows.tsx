/** Rows of receipts: the result of each request, or the reason for its failure. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RequestView } from '@truecast/client/internal/wire/request';
import { duration, plural } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { RowList } from '../parts/row-list.tsx';
import { RequestStatusWord } from '../parts/status-word.tsx';
import { FailureLine } from '../value/failure-line.tsx';
import { previewText } from '../value/preview-text.ts';

const ROW_PX = 62;

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
> & {
  readonly error?: { readonly message: string };
  readonly attempts: readonly unknown[];
};

/** Renders one link per request. */
export function ReceiptRows({ requests }: { readonly requests: readonly ReceiptRow[] }): ReactNode {
  const rows = requests.map((request) => ({
    key: request.request_id,
    content: <Row request={request} />,
  }));
  return <RowList rows={rows} estimatedPx={ROW_PX} className="panel overflow-hidden" label="Receipts" />;
}

function Row({ request }: { readonly request: ReceiptRow }): ReactNode {
  const { chat_id, request_id, name, status, model, duration_ms, created_at, attempts } = request;
  return (
    <Link
      href={`/chats/${chat_id}/requests/${request_id}`}
      className="-mt-px grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 border-t border-line px-4 py-2.5 hover:bg-sunken lg:grid-cols-[84px_minmax(0,1fr)_auto]"
    >
      <span className="order-1 text-right lg:order-none lg:text-left">
        <RequestStatusWord status={status} />
      </span>
      <span className="contents lg:block lg:min-w-0">
        <span className="min-w-0 truncate lg:block">
          <span className="font-medium">{name ?? 'Answer'}</span>
          {request.question_preview !== undefined && (
            <span className="text-muted"> {request.question_preview}</span>
          )}
        </span>
        <Outcome request={request} />
      </span>
      <span className="order-3 col-span-2 flex flex-wrap justify-between gap-x-3 text-sm text-muted lg:order-none lg:col-span-1 lg:block lg:text-right">
        <span className="block whitespace-nowrap">
          <RelativeTime at={created_at} />
        </span>
        <span className="block max-w-[32ch] truncate">
          {[
            status !== 'failed' && attempts.length > 0 && plural(attempts.length, 'attempt'),
            duration_ms !== undefined && duration(duration_ms),
            model,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </span>
    </Link>
  );
}

function Outcome({
  request: { value_preview, error, first_issue, attempts },
}: {
  readonly request: ReceiptRow;
}): ReactNode {
  if (value_preview !== undefined) {
    return (
      <code className="order-2 col-span-2 min-w-0 truncate text-muted lg:block">
        {previewText(value_preview)}
      </code>
    );
  }
  if (error !== undefined) {
    return (
      <span className="order-2 col-span-2 min-w-0 lg:block">
        <FailureLine issue={first_issue} message={error.message} attempts={attempts.length} />
      </span>
    );
  }
  return <span className="order-2 col-span-2 text-sm text-muted lg:block">No value yet.</span>;
}
