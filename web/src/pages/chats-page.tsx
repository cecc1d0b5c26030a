/** List of chats, newest first. */
import type { ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { listedChatPageView, type ListedChatPageView } from '@truecast/client/internal/wire/chat';
import { toQuery } from '@truecast/client/internal/to-query';
import { EmptyList } from '../parts/empty-list.tsx';
import { MoreButton, Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { SearchField, useFilter } from '../parts/search-field.tsx';
import { useSession } from '../session/session.tsx';
import { ChatRows } from '../chat/chat-rows.tsx';

const PAGE_SIZE = 100;

export function ChatsPage(): ReactNode {
  const { call } = useSession();
  const [filter] = useFilter();
  const chats = useInfiniteQuery({
    queryKey: ['chats', 'all', filter],
    queryFn: ({ signal, pageParam }) => {
      const page = {
        limit: PAGE_SIZE,
        after: pageParam || undefined,
        q: filter || undefined,
        preview: 'true',
      };
      return call({ method: 'GET', path: `/api/chats${toQuery(page)}`, shape: listedChatPageView, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: ListedChatPageView) => next,
  });
  const rows = chats.data?.pages.flatMap((page) => page.chats) ?? [];
  return (
    <Page
      isWide
      title="Chats"
      actions={
        <Link href="/" className="button">
          New chat
        </Link>
      }
    >
      <div className="mb-4">
        <SearchField label="Filter by title" />
      </div>
      {chats.isPending && <Skeleton rows={6} />}
      {chats.error !== null && <ProblemBox error={chats.error} onRetry={() => void chats.refetch()} />}
      {chats.isSuccess && rows.length === 0 && <NoChats />}
      {rows.length > 0 && <ChatRows chats={rows} />}
      <MoreButton list={chats}>Show older chats</MoreButton>
    </Page>
  );
}

/** Explains why the list is empty. */
function NoChats(): ReactNode {
  const [filter, setFilter] = useFilter();
  const filtered = filter === '' ? undefined : `No title of a chat contains “${filter}”.`;
  return (
    <EmptyList
      filtered={filtered}
      onClear={() => setFilter('')}
      clearLabel="Clear the filter"
      command={`curl ${location.origin}/api/chats -H "authorization: Bearer $TRUECAST_TOKEN" -H 'content-type: application/json' -d '{"content": "Hello"}'`}
    >
      There are no chats yet. Each question that you or a program asks appears here.
    </EmptyList>
  );
}
