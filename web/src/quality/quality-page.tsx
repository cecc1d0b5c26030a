/** Quality page: the rate of answers that were valid at once, and the fields that fail. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/to-query';
import { EmptyList } from '../parts/empty-list.tsx';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { SelectField, useAddressFilters, type Choice } from '../parts/select-field.tsx';
import { useFilterChoices } from '../receipts/filter-choices.ts';
import { useSession } from '../session/session.tsx';
import { FailingFields } from './failing-fields.tsx';
import { qualityView, type QualityView } from '@truecast/client/internal/wire/quality';
import { GROUPS, QualityGroups } from './quality-groups.tsx';
import { QualityTotals } from './quality-totals.tsx';
import { RateChart } from './rate-chart.tsx';
import { isRange, rangeText, type ChartRange } from './rate-points.ts';

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
  const isFiltered = [source, asked.model, asked.name, range].some((filter) => filter !== undefined);
  // Without the scope `project` there is only one source.
  const hasSources = source !== undefined || (quality.data?.sources.length ?? 0) > 1;
  return (
    <Page isWide title="Quality" tabTitle={['Quality', asked.name, asked.model].filter(Boolean).join(' · ')}>
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
          isFiltered={isFiltered}
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
  const { totals, rows, fields, is_complete, sources } = report;
  if (totals.answers === 0 && totals.unanswered === 0) return <NoAnswers isFiltered={isFiltered} />;
  return (
    <div className="space-y-8">
      <div className="space-y-3">
        <QualityTotals totals={totals} />
        {!is_complete && (
          <p className="text-sm text-warn">
            There are more answers than one report reads. Only the newest ones are counted: choose a shorter
            time.
          </p>
        )}
        <RateChart report={report} onRange={onRange} />
      </div>
      <FailingFields fields={fields} />
      <QualityGroups by={by} rows={rows} hasReceipts={sources.includes('chats')} />
    </div>
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
