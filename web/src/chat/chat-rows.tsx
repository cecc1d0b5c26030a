/** Rows of a list of chats. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ListedChatView } from '@truecast/client/internal/wire/chat';
import { CodeText } from '../parts/code/text-panel.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { RowList } from '../parts/row-list.tsx';
import { ChatStatusWord } from '../parts/status-word.tsx';
import { previewText } from '../value/preview-text.ts';

const ROW_PX = 46;

interface RowsProps {
  readonly chats: readonly ListedChatView[];
}

/** Renders one link per chat, with the failure of its newest request, or the first fields of its newest value. */
export function ChatRows({ chats }: RowsProps): ReactNode {
  const rows = chats.map((chat) => ({ key: chat.id, content: <Row {...chat} /> }));
  return <RowList rows={rows} estimatedPx={ROW_PX} className="panel overflow-hidden" />;
}

function Row({ id, title, status, model, updated_at, ...last }: ListedChatView): ReactNode {
  return (
    <Link
      href={`/chats/${id}`}
      className="-mt-px grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-t border-line px-4 py-2.5 hover:bg-sunken lg:grid-cols-[minmax(0,1fr)_96px_minmax(0,180px)_88px]"
    >
      <span className="contents lg:block lg:min-w-0">
        <span className="min-w-0 truncate font-medium lg:block">
          {title === '' ? 'Untitled chat' : title}
        </span>
        <Outcome {...last} />
      </span>
      <span className="text-right lg:text-left">
        <ChatStatusWord status={status} />
      </span>
      <span className="order-2 truncate text-sm text-muted lg:order-none">{model}</span>
      <span className="order-2 text-right text-sm whitespace-nowrap text-muted lg:order-none">
        <RelativeTime at={updated_at} />
      </span>
    </Link>
  );
}

/** A value under a request that failed would look like its answer. */
function Outcome({
  last_failure: failure,
  value_preview: value,
}: Pick<ListedChatView, 'last_failure' | 'value_preview'>): ReactNode {
  const place = 'order-1 col-span-2 min-w-0 truncate text-sm lg:block';
  if (failure !== undefined) {
    return (
      <span className={`${place} text-bad`}>
        <CodeText text={failure.message} />
      </span>
    );
  }
  if (value === undefined) return undefined;
  return <code className={`${place} text-muted`}>{previewText(value)}</code>;
}
