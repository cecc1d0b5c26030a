/** Rows of a list of chats. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ListedChatView } from '@truecast/client/internal/wire/chat';
import { RelativeTime } from '../parts/relative-time.tsx';
import { RowList } from '../parts/row-list.tsx';
import { ChatStatusWord, RequestStatusWord } from '../parts/status-word.tsx';
import { FailureLine } from '../value/failure-line.tsx';
import { previewText } from '../value/preview-text.ts';

const ROW_PX = 62;

interface RowsProps {
  readonly chats: readonly ListedChatView[];
}

/** Renders one link per chat, with its question, the failure of its newest request, or the first fields of its newest value. */
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
          {headline(title, last.question_preview)}
        </span>
        <Outcome {...last} />
      </span>
      <span className="text-right lg:text-left">
        {status === 'waiting' && last.last_request_status !== undefined ? (
          <RequestStatusWord status={last.last_request_status} />
        ) : (
          <ChatStatusWord status={status} />
        )}
      </span>
      <span className="order-2 truncate text-sm text-muted lg:order-none">{model}</span>
      <span className="order-2 text-right text-sm whitespace-nowrap text-muted lg:order-none">
        <RelativeTime at={updated_at} />
      </span>
    </Link>
  );
}

/** The server cuts titles: the question is its longer form, or a later one of the chat. */
function headline(title: string, question = ''): string {
  if (title === '') return question === '' ? 'Untitled chat' : question;
  return question.startsWith(title.replace(/…$/u, '')) ? question : title;
}

/** A value under a request that failed would look like its answer. */
function Outcome({
  error,
  last_failure: failure,
  first_issue: issue,
  attempt_count: attempts = 0,
  value_preview: value,
}: Partial<ListedChatView>): ReactNode {
  const place = 'order-1 col-span-2 min-w-0 text-sm lg:block';
  const message = error?.message ?? failure?.message;
  if (message !== undefined) {
    return (
      <span className={place}>
        <FailureLine issue={failure && issue} message={message} attempts={attempts} />
      </span>
    );
  }
  if (value === undefined) return undefined;
  return <code className={`${place} truncate text-muted`}>{previewText(value)}</code>;
}
