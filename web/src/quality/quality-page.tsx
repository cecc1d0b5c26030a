/** Quality page: the rate of answers that were valid at once, and the fields that fail. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { isRange, rangeText, type ChartRange } from '../parts/bucket-text.ts';
import { EmptyList } from '../parts/list/empty-list.tsx';
import { clockTime } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { saveFile } from '../parts/save-file.ts';
import { qualityCsv } from './quality-csv.ts';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { SelectField, useAddressFilters, type Choice } from '../parts/list/select-field.tsx';
import { useFilterChoices } from '../receipts/filter-choices.ts';
import { useSession } from '../session/session.tsx';
import { FailingFields } from './failing-fields.tsx';
import { qualityView, type QualityView } from '@truecast/client/internal/wire/quality';
import { GROUPS, QualityGroups } from './quality-groups.tsx';
import { QualityTotals } from './quality-totals.tsx';
import { RateChart } from './rate-chart.tsx';

const DAY_MS = 86_400_000;
const SOURCES: readonly Choice[] = [
  ['', 'All sources'],
  ['chats', 'Chats'],
  ['runs', 'Runs'],
  ['ensembles', 'Ensembles'],
];
const RANGES: readonly Choice[] = [
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
];

export function QualityPage(): ReactNode {
  const { call } = useSession();
  const { get, change } = useAddressFilters();
  const { models, names } = useFilterChoices();
  const days = Number(get('days')) || 7;
  const range = rangeOf(get);
  const by = GROUPS.find(([group]) => group === get('by'))?.[0] ?? 'model';
  const source = SOURCES.find(([each]) => each === get('source'))?.[0] || undefined;
  const asked = { by, source, model: get('model') || undefined, name: get('name') || undefined };
  const isTime = range === undefined || isRange(range);
  const quality = useQuery({
    queryKey: ['quality', days, range, asked],
    queryFn: ({ signal }) => {
      const time = range ?? { since: new Date(Date.now() - days * DAY_MS).toISOString() };
      const path = `/api/quality${toQuery({ ...time, ...asked })}`;
      return call({ method: 'GET', path, shape: qualityView, signal });
    },
    placeholderData: (previous) => previous,
    enabled: isTime,
  });
  // Without the scope `project` there is only one source.
  const hasSources = source !== undefined || (quality.data?.sources.length ?? 0) > 1;
  return (
    <Page
      isWide
      title="Quality"
      tabTitle={['Quality', asked.name, asked.model].filter(Boolean).join(' · ')}
      facts={quality.data !== undefined && <AsOf at={quality.dataUpdatedAt} />}
      actions={quality.data !== undefined && <CsvButton report={quality.data} />}
    >
      <div role="group" aria-label="Filters" className="mb-4 flex flex-wrap gap-2 @max-2xl:*:grow">
        {range === undefined ? (
          <SelectField label="Time" name="days" choices={RANGES} usual="7" />
        ) : (
          <button
            className="button"
            title="Show the whole time"
            data-action="Show the whole time"
            onClick={() => change({ since: '', until: '' })}
          >
            {rangeText(range)} <span aria-hidden="true">×</span>
          </button>
        )}
        {hasSources && <SelectField label="Source" name="source" choices={SOURCES} />}
        <SelectField label="Schema" name="name" choices={names} />
        <SelectField label="Model" name="model" choices={models} />
      </div>
      {!isTime && <NoRange />}
      {quality.isPending && isTime && <Skeleton rows={5} />}
      {quality.error !== null && <ProblemBox error={quality.error} onRetry={() => void quality.refetch()} />}
      {quality.data !== undefined && isTime && (
        <Report
          report={quality.data}
          by={by}
          isFiltered={[source, asked.model, asked.name, range].some((filter) => filter !== undefined)}
          onRange={(chosen) => change({ ...chosen })}
        />
      )}
    </Page>
  );
}

interface ReportProps {
  readonly report: QualityView;
  readonly by: string;
  readonly isFiltered: boolean;
  readonly onRange: (range: ChartRange) => void;
}

function Report({ report, by, isFiltered, onRange }: ReportProps): ReactNode {
  const before = useBefore(report);
  const { totals, rows, fields, is_complete, sources } = report;
  if (totals.answers === 0 && totals.unanswered === 0) return <NoAnswers isFiltered={isFiltered} />;
  return (
    <div className="space-y-5">
      <div className="space-y-5">
        <QualityTotals report={report} before={before} />
        {!is_complete && (
          <p className="text-sm text-warn">
            There are more answers than one report reads. Only the newest ones are counted: choose a shorter
            time.
          </p>
        )}
        <RateChart report={report} onRange={onRange} />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 @7xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <FailingFields fields={fields} />
        <QualityGroups by={by} rows={rows} hasReceipts={sources.includes('chats')} />
      </div>
    </div>
  );
}

/** Reads the totals of the period of the same length before, with the same filters. */
function useBefore({
  since,
  until,
  by,
  is_complete: isComplete,
}: QualityView): QualityView['totals'] | undefined {
  const { call } = useSession();
  const { get } = useAddressFilters();
  const [from, to] = [Date.parse(since), Date.parse(until)];
  const asked = {
    source: get('source') || undefined,
    model: get('model') || undefined,
    name: get('name') || undefined,
  };
  const before = useQuery({
    // The range moves with the clock. An hour names the query.
    queryKey: ['quality', 'before', since.slice(0, 13), to - from, asked],
    enabled: isComplete,
    queryFn: ({ signal }) => {
      const time = { since: new Date(2 * from - to).toISOString(), until: since };
      return call({
        method: 'GET',
        path: `/api/quality${toQuery({ ...time, by, ...asked })}`,
        shape: qualityView,
        signal,
      });
    },
  });
  return before.data?.is_complete === true ? before.data.totals : undefined;
}

function AsOf({ at }: { readonly at: number }): ReactNode {
  return <span className="text-xs text-muted">as of {clockTime(new Date(at).toISOString())}</span>;
}

function CsvButton({ report }: { readonly report: QualityView }): ReactNode {
  return (
    <button
      type="button"
      className="button"
      title="Save the figures of the chart as CSV"
      onClick={() => saveFile('quality.csv', qualityCsv(report), 'text/csv')}
    >
      <Icon name="save" />
      CSV
    </button>
  );
}

/** Returns the range that the address names. A drag across the chart sets it. */
function rangeOf(get: (name: string) => string): ChartRange | undefined {
  const [since, until] = [get('since'), get('until')];
  return since === '' || until === '' ? undefined : { since, until };
}

/** An address can name a time that is not one. The server would refuse it. */
function NoRange(): ReactNode {
  const { change } = useAddressFilters();
  return (
    <div role="alert" className="rounded-lg border border-bad-edge bg-bad-soft px-4 py-3">
      <p className="text-bad">
        The time in the address is not a range. Expected two times in UTC, such as 2026-11-23T12:00:00Z, the
        earlier one first.
      </p>
      <button className="button mt-2" onClick={() => change({ since: '', until: '' })}>
        Show the last 7 days
      </button>
    </div>
  );
}

/** Explains why there is nothing to count. */
function NoAnswers({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const { clear } = useAddressFilters();
  const filtered = isFiltered ? 'No answer of this time matches these filters.' : undefined;
  return (
    <EmptyList filtered={filtered} onClear={clear}>
      No answers in this period. Each answer to a question with a schema is counted here: valid at once, valid
      after a correction, or failed.
    </EmptyList>
  );
}
