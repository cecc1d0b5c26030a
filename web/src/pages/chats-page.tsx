/** List of chats, newest first. */
import type { ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { listedChatPageView, type ListedChatPageView } from '@truecast/client/internal/wire/chat';
import { toQuery } from '@truecast/client/internal/to-query';
import { EmptyList } from '../parts/empty-list.tsx';
import { MoreButton, Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { SelectField, useAddressFilters, type Choice } from '../parts/select-field.tsx';
import { typedLabel, PERIODS, sinceOf, useFilterChoices } from '../receipts/filter-choices.ts';
import { useSession } from '../session/session.tsx';
import { ChatRows } from '../chat/chat-rows.tsx';

const PAGE_SIZE = 100;
/** The outcome of the newest answer, or the state of the chat. */
const STATES: readonly Choice[] = [
  ['', 'All states'],
  ['failed', 'Answer failed'],
  ['succeeded', 'Answer valid'],
  ['running', 'Running'],
  ['requires_action', 'Waits for you'],
  ['error', 'Error'],
];

export function ChatsPage(): ReactNode {
  const { call } = useSession();
  const { get } = useAddressFilters();
  const { models, names } = useFilterChoices();
  const state = get('status');
  const isOutcome = state === 'failed' || state === 'succeeded';
  const asked = {
    q: get('q') || undefined,
    ...(state !== '' && (isOutcome ? { last_request_status: state } : { status: state })),
    model: get('model') || undefined,
    name: get('name') || undefined,
    label: typedLabel(get('label')),
  };
  const days = get('days');
  const chats = useInfiniteQuery({
    queryKey: ['chats', 'all', asked, days],
    queryFn: ({ signal, pageParam }) => {
      const page = {
        limit: PAGE_SIZE,
        after: pageParam || undefined,
        since: sinceOf(days),
        ...asked,
        preview: 'true',
      };
      return call({ method: 'GET', path: `/api/chats${toQuery(page)}`, shape: listedChatPageView, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: ListedChatPageView) => next,
    placeholderData: (previous) => previous,
  });
  const rows = chats.data?.pages.flatMap((page) => page.chats) ?? [];
  const isFiltered = days !== '' || Object.values(asked).some((value) => value !== undefined);
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
      <div role="group" aria-label="Filters" className="mb-4 flex flex-wrap gap-2 max-md:*:grow">
        <SearchField label="Filter by title" />
        <SelectField label="State" name="status" choices={STATES} />
        <SelectField label="Schema" name="name" choices={names} />
        <SelectField label="Model" name="model" choices={models} />
        <SelectField label="Date" name="days" choices={PERIODS} />
        <SearchField label="Label, as KEY:VALUE" name="label" />
      </div>
      {chats.isPending && <Skeleton rows={6} />}
      {chats.error !== null && <ProblemBox error={chats.error} onRetry={() => void chats.refetch()} />}
      {chats.isSuccess && rows.length === 0 && <NoChats text={asked.q} isFiltered={isFiltered} />}
      {rows.length > 0 && <ChatRows chats={rows} />}
      <MoreButton list={chats}>Show older chats</MoreButton>
    </Page>
  );
}

interface NoChatsProps {
  readonly text: string | undefined;
  readonly isFiltered: boolean;
}

/** Explains why the list is empty. */
function NoChats({ text, isFiltered }: NoChatsProps): ReactNode {
  const { clear } = useAddressFilters();
  const searched =
    text === undefined ? 'No chat matches these filters.' : `No title of a chat contains “${text}”.`;
  return (
    <EmptyList
      filtered={isFiltered ? searched : undefined}
      onClear={clear}
      clearLabel="Clear the filter"
      command={`curl ${location.origin}/api/chats -H "authorization: Bearer $TRUECAST_TOKEN" -H 'content-type: application/json' -d '{"content": "Hello"}'`}
    >
      There are no chats yet. Each question that you or a program asks appears here.
    </EmptyList>
  );
}
