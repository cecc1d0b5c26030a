/** List of chats, newest first. */
import type { ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ChatPageView } from '@truecast/client';
import { EmptyBox, Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { ChatRows } from '../chat/chat-rows.tsx';

const PAGE_SIZE = 50;
const REFRESH_MS = 2_000;

/** Renders the page. */
export function ChatsPage(): ReactNode {
  const { client } = useSession();
  const chats = useInfiniteQuery({
    queryKey: ['chats', 'all'],
    queryFn: ({ signal, pageParam }) =>
      client.listChats({ limit: PAGE_SIZE, signal, ...(pageParam !== '' && { after: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next }: ChatPageView) => next,
    // The page has no stream of all chats: it reads again while one of them runs.
    refetchInterval: ({ state }) => (state.data?.pages.some(hasRunning) === true ? REFRESH_MS : false),
  });
  const rows = chats.data?.pages.flatMap((page) => page.chats) ?? [];
  return (
    <Page
      title="Chats"
      actions={
        <Link href="/" className="button">
          New chat
        </Link>
      }
    >
      {chats.isPending && <Skeleton rows={6} />}
      {chats.error !== null && <ProblemBox error={chats.error} onRetry={() => void chats.refetch()} />}
      {chats.isSuccess && rows.length === 0 && (
        <EmptyBox
          action={
            <Link href="/" className="button button-primary">
              Ask a question
            </Link>
          }
        >
          There are no chats yet. Each question that you or a program asks appears here.
        </EmptyBox>
      )}
      {rows.length > 0 && <ChatRows chats={rows} />}
      {chats.hasNextPage && (
        <button
          className="button mt-4"
          disabled={chats.isFetchingNextPage}
          onClick={() => void chats.fetchNextPage()}
        >
          Show older chats
        </button>
      )}
    </Page>
  );
}

function hasRunning({ chats }: ChatPageView): boolean {
  return chats.some(({ status }) => status === 'running' || status === 'interrupting');
}
