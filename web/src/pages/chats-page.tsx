/** List of chats, newest first. Chosen ones can be deleted. */
import { useState, type ReactNode } from 'react';
import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import {
  listedChatPageView,
  type ListedChatPageView,
  type ListedChatView,
} from '@truecast/client/internal/wire/chat';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { EmptyList } from '../parts/list/empty-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListBody, Toolbar, Views } from '../parts/list/list-body.tsx';
import { Page } from '../parts/page.tsx';
import { serverOrder } from '../parts/list/table-order.ts';
import { SearchField } from '../parts/list/search-field.tsx';
import { SelectionBar } from '../parts/list/selection-bar.tsx';
import { SelectField, useAddressFilters, type Choice } from '../parts/list/select-field.tsx';
import { COSTS, ORDERS, typedLabel, PERIODS, sinceOf, useFilterChoices } from '../receipts/filter-choices.ts';
import { useSession } from '../session/session.tsx';
import { ChatRows } from '../chat/chat-rows.tsx';
import { DeleteChats } from '../chat/delete-chats.tsx';
import { plural } from '../parts/format.ts';

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

const NONE: ReadonlySet<string> = new Set();

export function ChatsPage(): ReactNode {
  const { chats, asked, isFiltered } = useChats();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE);
  // The rows of the dialog stay while the list changes.
  const [deleted, setDeleted] = useState<readonly ListedChatView[]>();
  const rows = chats.data?.pages.flatMap((page) => page.chats) ?? [];
  const selected = rows.filter(({ id }) => chosen.has(id));
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
        <ChatRows chats={rows} selection={{ keys: chosen, onChange: setChosen }} />
      </ListBody>
      <SelectionBar count={selected.length} onClear={() => setChosen(NONE)}>
        <button
          type="button"
          className="button text-bad"
          aria-haspopup="dialog"
          onClick={() => setDeleted(selected)}
        >
          Delete {plural(selected.length, 'chat')}
        </button>
      </SelectionBar>
      {deleted !== undefined && <DeleteChats chats={deleted} onClose={() => setDeleted(undefined)} />}
    </Page>
  );
}

interface ListedChats {
  readonly chats: UseInfiniteQueryResult<InfiniteData<ListedChatPageView>>;
  readonly asked: { readonly q: string | undefined };
  readonly isFiltered: boolean;
}

/** Reads the chats that the filters of the address allow. */
function useChats(): ListedChats {
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
  const isFiltered = days !== '' || Object.values(asked).some((value) => value !== undefined);
  return { chats, asked, isFiltered };
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
