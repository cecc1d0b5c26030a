/** Page of one ensemble run: its lines up to a position, with a scrubber. Read-only. */
import { useEffect, type ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/to-query';
import type { EnsembleRunView, LedgerEventPageView } from '@truecast/client/internal/wire/ensemble';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { SelectField, useAddressFilters } from '../parts/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { eventPageCheck } from './ledger-check.ts';
import { LineList } from './line-list.tsx';
import { Scrubber } from './scrubber.tsx';
import { stageLines, type StageLine } from './stage-lines.ts';

/** Renders the page. All events are read, a page after the other. */
export function StagePage({ runId }: { readonly runId: string }): ReactNode {
  const { call } = useSession();
  const events = useInfiniteQuery({
    queryKey: ['ledger', runId],
    queryFn: ({ signal, pageParam }) => {
      const query = toQuery({ after: pageParam || undefined });
      const path = `/api/ensembles/runs/${encodeURIComponent(runId)}/events${query}`;
      return call({ method: 'GET', path, check: eventPageCheck, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: LedgerEventPageView) => next,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = events;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const run = events.data?.pages[0]?.run;
  const lines = stageLines(events.data?.pages.flatMap((page) => page.events) ?? []);
  return (
    <Page
      isWide
      title={run?.scenario ?? 'Stage'}
      facts={
        run !== undefined && (
          <span className="text-sm text-muted">{run.ended_at === undefined ? 'open' : 'ended'}</span>
        )
      }
    >
      {events.isPending && <Skeleton />}
      {events.error !== null && <ProblemBox error={events.error} onRetry={() => void events.refetch()} />}
      {run !== undefined && <Stage run={run} lines={lines} />}
    </Page>
  );
}

interface StageProps {
  readonly run: EnsembleRunView;
  readonly lines: readonly StageLine[];
}

function Stage({ run, lines }: StageProps): ReactNode {
  const { get, set } = useAddressFilters();
  const actor = get('actor');
  const shown = lines.filter(
    (line) => (actor === '' || line.actor === actor) && (!line.isPrivate || get('private') === 'yes'),
  );
  const last = Math.max(0, shown.length - 1);
  const asked = Number(get('at') || last);
  const at = Number.isInteger(asked) ? Math.min(Math.max(0, asked), last) : last;
  const now = shown[at];
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(280px,360px)] lg:gap-10">
      <div className="min-w-0">
        <p className="mb-4 max-w-[80ch] text-muted">{[run.goal, `Seed: ${run.seed}`].join(' ').trim()}</p>
        <Scrubber
          at={at}
          last={last}
          now={now}
          onChange={(next) => set('at', next === last ? '' : String(next))}
        />
        <div role="group" aria-label="Filters" className="mt-4 mb-2 flex flex-wrap gap-2">
          <SelectField
            label="Actor"
            name="actor"
            choices={[['', 'All actors'], ...run.cast.map(({ name }) => [name, name] as const)]}
          />
          <SelectField
            label="Thoughts"
            name="private"
            choices={[
              ['', 'Without private thoughts'],
              ['yes', 'With private thoughts'],
            ]}
          />
        </div>
        <LineList lines={shown} at={at} />
      </div>
      <Cast run={run} actor={now?.actor} />
    </div>
  );
}

interface CastProps {
  readonly run: EnsembleRunView;
  /** Who speaks at the position. */
  readonly actor: string | undefined;
}

function Cast({ run: { cast, ended_at, reason, winner }, actor }: CastProps): ReactNode {
  return (
    <section aria-label="Cast" className="min-w-0 lg:sticky lg:top-6 lg:self-start">
      <h2 className="mb-2 font-semibold">Cast</h2>
      <ul className="panel divide-y divide-line">
        {cast.map(({ name, role, model }) => (
          <li
            key={name}
            className={`border-l-2 px-4 py-2 ${name === actor ? 'border-l-accent bg-accent-soft' : 'border-l-transparent'}`}
          >
            <span className="font-medium break-words">{name}</span>{' '}
            <span className="text-sm break-words text-muted">
              {role}, {model}
              {name === winner ? ', winner' : ''}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm text-muted">
        {ended_at === undefined ? 'The run is open.' : `Ended by ${reason ?? 'its last event'}.`}
      </p>
    </section>
  );
}
