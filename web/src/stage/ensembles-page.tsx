/** List of the ensemble runs on the server's ledger. */
import type { ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import {
  ensembleRunPageView,
  type EnsembleRunPageView,
  type EnsembleRunView,
} from '@truecast/client/internal/wire/ensemble';
import { CommandLine } from '../parts/code/copy-button.tsx';
import { ListBody } from '../parts/list/list-body.tsx';
import { EmptyBox, Page } from '../parts/page.tsx';
import { EnsembleStatusWord } from '../parts/status-word.tsx';
import { useSession } from '../session/session.tsx';
import { Table, type Column } from '../parts/list/table.tsx';
import { LeaderboardTable } from './leaderboard.tsx';
import { StageTabs } from './stage-tabs.tsx';

const PAGE_SIZE = 100;
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
      <ListBody list={runs} isEmpty={rows.length === 0} empty={<NoRuns />} more="Show older runs">
        <Table
          isPanel
          label="Ensemble runs"
          rows={rows}
          keyOf={({ run_id: id }) => id}
          hrefOf={({ run_id: id }) => `/stage/${encodeURIComponent(id)}`}
          state={State}
          titleHead="Scenario and goal"
          title={({ scenario }) => scenario}
          outcome={({ goal, seed }) => (
            <span className="block truncate text-muted">{goal === '' ? seed : goal}</span>
          )}
          columns={COLUMNS}
          timeHead="Started"
          timeOf={({ started_at: at }) => at}
        />
      </ListBody>
      <LeaderboardTable runs={rows} />
    </Page>
  );
}

const COLUMNS: readonly Column<EnsembleRunView>[] = [
  {
    head: 'End',
    track: 'minmax(0,160px)',
    cell: ({ ended_at: at, winner, reason }) =>
      at === undefined ? undefined : winner === undefined ? reason : `${winner} won`,
  },
  { head: 'Cast', track: '80px', isNumber: true, noun: 'in the cast', cell: ({ cast }) => cast.length },
];

function State({ ended_at: at }: EnsembleRunView): ReactNode {
  return <EnsembleStatusWord status={at === undefined ? 'open' : 'ended'} />;
}

function NoRuns(): ReactNode {
  return (
    <EmptyBox action={<CommandLine command={COMMAND} />}>
      There are no ensemble runs yet. Each run of a scenario on this server's database appears here.
    </EmptyBox>
  );
}
