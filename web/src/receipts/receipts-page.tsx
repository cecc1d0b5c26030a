/** List of all receipts, newest first, with filters in the address. */
import { useState, type ReactNode } from 'react';
import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { rangeText, type ChartRange } from '../parts/bucket-text.ts';
import { EmptyList } from '../parts/list/empty-list.tsx';
import { money } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { ListBody, Toolbar, Views } from '../parts/list/list-body.tsx';
import { Page } from '../parts/page.tsx';
import { SearchField } from '../parts/list/search-field.tsx';
import { SelectField, useAddressFilters, type Choice } from '../parts/list/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { parametersOf, useAskedReceipts, type AskedReceipts } from './asked-receipts.ts';
import { COSTS, ORDERS, PERIODS, sinceOf, useFilterChoices } from './filter-choices.ts';
import { requestPageView, type RequestPageView } from '@truecast/client/internal/wire/request';
import { ExportButton } from './export-button.tsx';
import { ReceiptDays, useAnswerCounts } from './receipt-days.tsx';
import { ReceiptRows } from './receipt-rows.tsx';
import { SaveReceipts } from './save-receipts.tsx';
import { CompareLink, SelectionBar } from '../parts/list/selection-bar.tsx';
import type { QualityView } from '@truecast/client/internal/wire/quality';

const PAGE_SIZE = 100;
const STATUSES: readonly Choice[] = [
  ['', 'All states'],
  ['succeeded', 'Valid'],
  ['failed', 'Failed'],
  ['canceled', 'Canceled'],
  ['running', 'Running'],
  ['queued', 'Queued'],
];
const VIEWS: readonly Choice[] = [
  ['', 'All'],
  ['failed', 'Failed answers'],
  ['succeeded', 'Valid answers'],
];

/** Days of the histogram without a period. */
const USUAL_DAYS = '30';
/** Before the first receipt. */
const START = '2000-01-01T00:00:00.000Z';

export function ReceiptsPage(): ReactNode {
  const asked = useAskedReceipts();
  const { filters, order, days, range, search } = asked;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE);
  const receipts = useReceipts(asked);
  const rows = receipts.data?.pages.flatMap(({ requests }) => requests) ?? [];
  const isFiltered =
    days !== '' ||
    range !== undefined ||
    order.sort !== undefined ||
    Object.values(filters).some((value) => value !== undefined);
  const ids = rows.map(({ request_id: id }) => id).filter((id) => chosen.has(id));
  return (
    <Page
      isFlush
      title="Receipts"
      facts={<Spent />}
      actions={
        <>
          {rows.length > 0 && <ExportButton rows={rows} />}
          <Link href="/ask" className="button button-primary">
            <Icon name="add" />
            Ask
          </Link>
        </>
      }
    >
      <CountedViews />
      <ListBody
        list={receipts}
        isEmpty={rows.length === 0}
        empty={<NoReceipts isFiltered={isFiltered} />}
        more="Show older receipts"
        filters={<Filters schemaHash={filters.schema_hash} range={range} />}
      >
        <ReceiptRows
          requests={rows}
          selection={{ keys: chosen, onChange: setChosen }}
          search={search}
          isOrdered
        />
      </ListBody>
      <SelectionBar count={ids.length} onClear={() => setChosen(NONE)}>
        <CompareLink
          count={ids.length}
          href={`/compare?requests=${ids.join(',')}${ids.length === 1 ? '&add=yes' : ''}`}
        />
        {ids.length === 1 && (
          <Link href={`/ask?from=${ids.join('')}`} className="button">
            Ask again with …
          </Link>
        )}
        <SaveReceipts ids={ids} />
      </SelectionBar>
    </Page>
  );
}

const NONE: ReadonlySet<string> = new Set();

function useReceipts(asked: AskedReceipts): UseInfiniteQueryResult<InfiniteData<RequestPageView>> {
  const { call } = useSession();
  const { filters, order, days, range } = asked;
  return useInfiniteQuery({
    queryKey: ['requests', filters, order, days, range],
    queryFn: ({ signal, pageParam }) => {
      const page = {
        limit: PAGE_SIZE,
        preview: 'true',
        after: pageParam || undefined,
        ...parametersOf(asked),
      };
      return call({ method: 'GET', path: `/api/requests${toQuery(page)}`, shape: requestPageView, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: RequestPageView) => next,
    placeholderData: (previous) => previous,
  });
}

/** Counts of the list's filters. Undefined for filters that the counts do not have. */
function useCounts(isHistogram: boolean): QualityView | undefined {
  const { filters, days } = useAskedReceipts();
  const { q, label, min_cost_usd: cost, model, name, schema_hash } = filters;
  const isCounted = q === undefined && label === undefined && cost === undefined;
  const since = sinceOf(days || (isHistogram ? USUAL_DAYS : '')) ?? START;
  const { data } = useAnswerCounts(since, { model, name, schema_hash }, isCounted);
  return isCounted && data?.is_complete === true ? data : undefined;
}

function CountedViews(): ReactNode {
  const totals = useCounts(false)?.totals;
  const isRanged = useAskedReceipts().range !== undefined;
  const counts =
    totals === undefined || isRanged
      ? undefined
      : new Map([
          ['failed', totals.answers - totals.valid + totals.unanswered],
          ['succeeded', totals.valid],
        ]);
  return <Views views={VIEWS} {...(counts !== undefined && { counts })} />;
}

/** Cost of the list's period. */
function Spent(): ReactNode {
  const { days, range } = useAskedReceipts();
  const cost = useCounts(false)?.totals.cost_usd;
  if (cost === undefined || cost === 0 || range !== undefined) return null;
  const period = PERIODS.find(([value]) => value === days)?.[1] ?? '';
  return (
    <span className="text-xs text-muted">
      {days === '' ? 'All' : period} · {money(cost)}
    </span>
  );
}

interface FiltersProps {
  readonly schemaHash: string | undefined;
  readonly range: ChartRange | undefined;
}

function Filters({ schemaHash, range }: FiltersProps): ReactNode {
  const { models, names } = useFilterChoices();
  const { change } = useAddressFilters();
  const counts = useCounts(true);
  return (
    <div className="space-y-3">
      <Toolbar search={<SearchField label="Filter by schema or title of the chat" />}>
        <SelectField label="State" name="status" choices={STATUSES} />
        <SelectField label="Schema" name="name" choices={names} />
        <SelectField label="Model" name="model" choices={models} />
        {range === undefined ? (
          <SelectField label="Date" name="days" choices={PERIODS} />
        ) : (
          <button
            className="field chip"
            data-set="true"
            title="Any time"
            onClick={() => change({ since: '', until: '' })}
          >
            {rangeText(range)} <span aria-hidden="true">×</span>
          </button>
        )}
        <SelectField label="Cost" name="cost" choices={COSTS} />
        <span className="flex *:grow @5xl:hidden">
          <SelectField label="Order" name="sort" choices={ORDERS} />
        </span>
        <SearchField label="Label, as KEY:VALUE" name="label" />
        {schemaHash !== undefined && <SchemaFilter hash={schemaHash} />}
      </Toolbar>
      {counts !== undefined && <ReceiptDays report={counts} />}
    </div>
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
  const { clear, get } = useAddressFilters();
  const text = get('sort').startsWith('cost')
    ? 'No receipt of this list has a known cost.'
    : 'No receipt matches these filters.';
  return (
    <EmptyList filtered={isFiltered ? text : undefined} onClear={clear}>
      There are no receipts yet. Each question with a schema gets one: its value, or the reason why not.
    </EmptyList>
  );
}
