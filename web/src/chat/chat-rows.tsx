/** Rows of a list of chats. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ChatView } from '@truecast/client';
import { RelativeTime } from '../parts/relative-time.tsx';
import { ChatStatusWord } from '../parts/status-word.tsx';

/** Renders one link per chat. */
export function ChatRows({ chats }: { readonly chats: readonly ChatView[] }): ReactNode {
  return (
    <ul className="panel divide-y divide-line overflow-hidden">
      {chats.map(({ id, title, status, model, updated_at }) => (
        <li key={id}>
          <Link
            href={`/chats/${id}`}
            className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-sunken md:grid-cols-[minmax(0,1fr)_96px_minmax(0,180px)_88px]"
          >
            <span className="truncate font-medium">{title === '' ? 'Untitled chat' : title}</span>
            <span className="text-right md:text-left">
              <ChatStatusWord status={status} />
            </span>
            <span className="truncate text-sm text-muted">{model}</span>
            <span className="text-right text-sm whitespace-nowrap text-muted">
              <RelativeTime at={updated_at} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
