/** Rows of receipts: the result of each request, or the reason for its failure. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RequestView } from '@truecast/client/internal/wire/request';
import { CodeText } from '../parts/code/text-panel.tsx';
import { duration, plural } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { RowList } from '../parts/row-list.tsx';
import { RequestStatusWord } from '../parts/status-word.tsx';
import { previewText } from '../value/preview-text.ts';

const ROW_PX = 62;

/** The fields of a request that a row shows. */
export type ReceiptRow = Pick<
  RequestView,
  'request_id' | 'chat_id' | 'name' | 'status' | 'model' | 'duration_ms' | 'created_at' | 'value_preview'
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
      className="-mt-px grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 border-t border-line px-4 py-2.5 hover:bg-sunken md:grid-cols-[84px_minmax(0,1fr)_auto]"
    >
      <span className="order-1 text-right md:order-none md:text-left">
        <RequestStatusWord status={status} />
      </span>
      <span className="contents md:block md:min-w-0">
        <span className="min-w-0 truncate font-medium md:block">{name ?? 'Answer'}</span>
        <Outcome request={request} />
      </span>
      <span className="order-3 col-span-2 flex flex-wrap justify-between gap-x-3 text-sm text-muted md:order-none md:col-span-1 md:block md:text-right">
        <span className="block whitespace-nowrap">
          <RelativeTime at={created_at} />
        </span>
        <span className="block max-w-[32ch] truncate">
          {[
            attempts.length > 0 && plural(attempts.length, 'attempt'),
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

function Outcome({ request: { value_preview, error } }: { readonly request: ReceiptRow }): ReactNode {
  if (value_preview !== undefined) {
    return (
      <code className="order-2 col-span-2 min-w-0 truncate text-muted md:block">
        {previewText(value_preview)}
      </code>
    );
  }
  if (error !== undefined) {
    return (
      <span className="order-2 col-span-2 min-w-0 truncate text-sm text-bad md:block">
        <CodeText text={error.message} />
      </span>
    );
  }
  return <span className="order-2 col-span-2 text-sm text-muted md:block">No value yet.</span>;
}
