/** List of the ensemble runs on the server's ledger. */
import type { ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { toQuery } from '@truecast/client/internal/to-query';
import {
  ensembleRunPageView,
  type EnsembleRunPageView,
  type EnsembleRunView,
} from '@truecast/client/internal/wire/ensemble';
import { CommandLine } from '../parts/code/copy-button.tsx';
import { EmptyBox, MoreButton, Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { RowList } from '../parts/row-list.tsx';
import { useSession } from '../session/session.tsx';
import { LeaderboardTable } from './leaderboard.tsx';
import { StageTabs } from './stage-tabs.tsx';

const PAGE_SIZE = 100;
const ROW_PX = 62;
const COMMAND = 'npx --no truecast ensemble run';

export function EnsemblesPage(): ReactNode {
  const { call } = useSession();
  const runs = useInfiniteQuery({
    queryKey: ['ensembles'],
    queryFn: ({ signal, pageParam }) => {
      const path = `/api/ensembles/runs${toQuery({ limit: PAGE_SIZE, after: pageParam || undefined })}`;
      return call({ method: 'GET', path, shape: ensembleRunPageView, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: EnsembleRunPageView) => next,
  });
  const rows = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <Page isWide title="Stage">
      <StageTabs />
      {runs.isPending && <Skeleton rows={4} />}
      {runs.error !== null && <ProblemBox error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.isSuccess && rows.length === 0 && <NoRuns />}
      {rows.length > 0 && (
        <RowList
          rows={rows.map((run) => ({ key: run.run_id, content: <Row run={run} /> }))}
          estimatedPx={ROW_PX}
          className="panel overflow-hidden"
          label="Ensemble runs"
        />
      )}
      <MoreButton list={runs}>Show older runs</MoreButton>
      <LeaderboardTable runs={rows} />
    </Page>
  );
}

function Row({ run }: { readonly run: EnsembleRunView }): ReactNode {
  const { run_id, scenario, seed, goal, cast, started_at, ended_at, reason, winner } = run;
  return (
    <Link
      href={`/stage/${encodeURIComponent(run_id)}`}
      className="-mt-px grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 border-t border-line px-4 py-2.5 hover:bg-sunken"
    >
      <span className="truncate font-medium">{scenario}</span>
      <span className="text-right text-sm whitespace-nowrap text-muted">
        <RelativeTime at={started_at} />
      </span>
      <span className="truncate text-sm text-muted">{goal === '' ? seed : goal}</span>
      <span className="text-right text-sm whitespace-nowrap text-muted">
        {ended_at === undefined ? 'open' : winner === undefined ? reason : `${winner} won`} · {cast.length} in
        the cast
      </span>
    </Link>
  );
}

function NoRuns(): ReactNode {
  return (
    <EmptyBox action={<CommandLine command={COMMAND} />}>
      There are no ensemble runs yet. Each run of a scenario on this server's database appears here.
    </EmptyBox>
  );
}
