/** List of chats, newest first. */
import type { ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { listedChatPageView, type ListedChatPageView } from '@truecast/client/internal/wire/chat';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { EmptyList } from '../parts/list/empty-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListBody, Toolbar, Views } from '../parts/list/list-body.tsx';
import { Page } from '../parts/page.tsx';
import { serverOrder } from '../parts/list/table-order.ts';
import { SearchField } from '../parts/list/search-field.tsx';
import { SelectField, useAddressFilters, type Choice } from '../parts/list/select-field.tsx';
import { COSTS, ORDERS, typedLabel, PERIODS, sinceOf, useFilterChoices } from '../receipts/filter-choices.ts';
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
const VIEWS: readonly Choice[] = [
  ['', 'All'],
  ['failed', 'Failed answers'],
  ['succeeded', 'Valid answers'],
  ['running', 'Now running'],
];

export function ChatsPage(): ReactNode {
  const { call } = useSession();
  const { get } = useAddressFilters();
  const state = get('status');
  const isOutcome = state === 'failed' || state === 'succeeded';
  const asked = {
    q: get('q') || undefined,
    ...(state !== '' && (isOutcome ? { last_request_status: state } : { status: state })),
    model: get('model') || undefined,
    name: get('name') || undefined,
    label: typedLabel(get('label')),
    min_cost_usd: get('cost') || undefined,
    ...serverOrder(get('sort')),
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
      isFlush
      title="Chats"
      actions={
        <Link href="/" className="button button-primary">
          <Icon name="add" />
          New chat
        </Link>
      }
    >
      <Views views={VIEWS} />
      <ListBody
        list={chats}
        isEmpty={rows.length === 0}
        empty={<NoChats text={asked.q} isFiltered={isFiltered} />}
        more="Show older chats"
        filters={<Filters />}
      >
        <ChatRows chats={rows} />
      </ListBody>
    </Page>
  );
}

function Filters(): ReactNode {
  const { models, names } = useFilterChoices();
  return (
    <Toolbar search={<SearchField label="Filter by title" />}>
      <SelectField label="State" name="status" choices={STATES} />
      <SelectField label="Schema" name="name" choices={names} />
      <SelectField label="Model" name="model" choices={models} />
      <SelectField label="Date" name="days" choices={PERIODS} />
      <SelectField label="Cost" name="cost" choices={COSTS} />
      <span className="flex *:grow @5xl:hidden">
        <SelectField label="Order" name="sort" choices={ORDERS} />
      </span>
      <SearchField label="Label, as KEY:VALUE" name="label" />
    </Toolbar>
  );
}

interface NoChatsProps {
  readonly text: string | undefined;
  readonly isFiltered: boolean;
}

/** Explains why the list is empty. */
function NoChats({ text, isFiltered }: NoChatsProps): ReactNode {
  const { clear, get } = useAddressFilters();
  const unpriced = get('sort').startsWith('cost')
    ? 'No answer of this list has a known cost.'
    : 'No chat matches these filters.';
  const searched = text === undefined ? unpriced : `No title of a chat contains “${text}”.`;
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
