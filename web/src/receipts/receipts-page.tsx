/** List of all receipts, newest first, with filters in the address. */
import type { ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { toQuery } from '@truecast/client/internal/to-query';
import { EmptyList } from '../parts/empty-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListBody, Toolbar, Views } from '../parts/list-body.tsx';
import { Page } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { SelectField, useAddressFilters, type Choice } from '../parts/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { typedLabel, PERIODS, sinceOf, useFilterChoices } from './filter-choices.ts';
import { requestPageView, type RequestPageView } from '@truecast/client/internal/wire/request';
import { ReceiptRows } from './receipt-rows.tsx';

const PAGE_SIZE = 100;
const STATUSES: readonly Choice[] = [
  ['', 'All states'],
  ['succeeded', 'Valid'],
  ['failed', 'Failed'],
  ['canceled', 'Canceled'],
  ['running', 'Running'],
  ['queued', 'Queued'],
];

const COSTS: readonly Choice[] = [
  ['', 'Any cost'],
  ['0.01', '$0.01 or more'],
  ['0.1', '$0.10 or more'],
  ['1', '$1 or more'],
];
const VIEWS: readonly Choice[] = [
  ['', 'All'],
  ['failed', 'Failed answers'],
  ['succeeded', 'Valid answers'],
];

export function ReceiptsPage(): ReactNode {
  const { call } = useSession();
  const { get } = useAddressFilters();
  const asked = {
    status: get('status') || undefined,
    name: get('name') || undefined,
    model: get('model') || undefined,
    schema_hash: get('schema_hash') || undefined,
    q: get('q') || undefined,
    label: typedLabel(get('label')),
    min_cost_usd: get('cost') || undefined,
  };
  const days = get('days');
  const receipts = useInfiniteQuery({
    queryKey: ['requests', asked, days],
    queryFn: ({ signal, pageParam }) => {
      const page = {
        limit: PAGE_SIZE,
        preview: 'true',
        after: pageParam || undefined,
        since: sinceOf(days),
        ...asked,
      };
      return call({ method: 'GET', path: `/api/requests${toQuery(page)}`, shape: requestPageView, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: RequestPageView) => next,
    placeholderData: (previous) => previous,
  });
  const rows = receipts.data?.pages.flatMap(({ requests }) => requests) ?? [];
  const isFiltered = days !== '' || Object.values(asked).some((value) => value !== undefined);
  return (
    <Page
      isFlush
      title="Receipts"
      actions={
        <Link href="/ask" className="button button-primary">
          <Icon name="add" />
          Ask
        </Link>
      }
    >
      <Views views={VIEWS} />
      <ListBody
        list={receipts}
        isEmpty={rows.length === 0}
        empty={<NoReceipts isFiltered={isFiltered} />}
        more="Show older receipts"
        filters={<Filters schemaHash={asked.schema_hash} />}
      >
        <ReceiptRows requests={rows} />
      </ListBody>
    </Page>
  );
}

function Filters({ schemaHash }: { readonly schemaHash: string | undefined }): ReactNode {
  const { models, names } = useFilterChoices();
  return (
    <Toolbar>
      <SearchField label="Filter by schema or title of the chat" />
      <SelectField label="State" name="status" choices={STATUSES} />
      <SelectField label="Schema" name="name" choices={names} />
      <SelectField label="Model" name="model" choices={models} />
      <SelectField label="Date" name="days" choices={PERIODS} />
      <SelectField label="Cost" name="cost" choices={COSTS} />
      <SearchField label="Label, as KEY:VALUE" name="label" />
      {schemaHash !== undefined && <SchemaFilter hash={schemaHash} />}
    </Toolbar>
  );
}

/** The schema of a link from its page, which no select has. */
function SchemaFilter({ hash }: { readonly hash: string }): ReactNode {
  const { set } = useAddressFilters();
  return (
    <>
      <button className="button" title="Remove this filter" onClick={() => set('schema_hash', '')}>
        Schema <code>{hash.slice(0, 12)}</code> <span aria-hidden="true">×</span>
      </button>
      <Link href={`/schemas/${hash}`} className="button button-quiet">
        History of the schema
      </Link>
    </>
  );
}

/** Explains why the list is empty. */
function NoReceipts({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const { clear } = useAddressFilters();
  return (
    <EmptyList filtered={isFiltered ? 'No receipt matches these filters.' : undefined} onClear={clear}>
      There are no receipts yet. Each question with a schema gets one: its value, or the reason why not.
    </EmptyList>
  );
}
