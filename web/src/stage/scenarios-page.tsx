/** Scenarios that ensembles can play, and the problems of their manifests. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import {
  ensembleRunPageView,
  scenarioListView,
  type ScenarioView,
} from '@truecast/client/internal/wire/ensemble';
import { CommandLine } from '../parts/code/copy-button.tsx';
import { EmptyList } from '../parts/list/empty-list.tsx';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { RowList } from '../parts/list/row-list.tsx';
import { SearchField, useFilter } from '../parts/list/search-field.tsx';
import { useSession } from '../session/session.tsx';
import { ManifestProblems } from './manifest-problems.tsx';
import { ScenarioCard } from './scenario-card.tsx';
import { StageTabs } from './stage-tabs.tsx';

const CARD_PX = 220;
/** Fewer are seen at once, and need no filter. */
const MIN_FILTERED = 7;
const LATEST_RUNS = 100;
const COMMAND = 'npx --no truecast ensemble init';

/** Renders the page. The manifests are read again when the window gets the focus. */
export function ScenariosPage(): ReactNode {
  const { call } = useSession();
  const [filter, setFilter] = useFilter();
  const listed = useQuery({
    queryKey: ['scenarios'],
    queryFn: ({ signal }) => call({ method: 'GET', path: '/api/scenarios', shape: scenarioListView, signal }),
    refetchOnWindowFocus: true,
  });
  const runs = useQuery({
    queryKey: ['ensembles', 'latest'],
    queryFn: ({ signal }) => {
      const path = `/api/ensembles/runs?limit=${LATEST_RUNS}`;
      return call({ method: 'GET', path, shape: ensembleRunPageView, signal });
    },
  });
  const { scenarios = [], problems = [], folder } = listed.data ?? {};
  const shown = scenarios.filter((scenario) => isMatch(scenario, filter));
  const hasNothing = listed.isSuccess && shown.length === 0 && (filter !== '' || problems.length === 0);
  return (
    <Page isWide title="Stage">
      <StageTabs />
      {listed.isPending && <Skeleton rows={4} />}
      {listed.error !== null && <ProblemBox error={listed.error} onRetry={() => void listed.refetch()} />}
      {problems.length > 0 && <ManifestProblems problems={problems} />}
      {(scenarios.length >= MIN_FILTERED || filter !== '') && (
        <div className="mb-4">
          <SearchField label="Filter by title, goal or member" />
        </div>
      )}
      {shown.length > 0 && (
        <>
          <p className="mb-3 text-sm text-muted">{originText(folder)}</p>
          <RowList
            rows={shown.map((scenario) => ({
              key: scenario.name,
              content: <ScenarioCard scenario={scenario} runs={runs.data?.runs} />,
            }))}
            estimatedPx={CARD_PX}
            className="space-y-4"
            label="Scenarios"
          />
        </>
      )}
      {hasNothing && <NoScenarios filter={filter} onClear={() => setFilter('')} />}
    </Page>
  );
}

function isMatch({ name, title, goal, cast }: ScenarioView, filter: string): boolean {
  const texts = [name, title, goal, ...cast.map((member) => member.name)];
  return texts.some((text) => text.toLowerCase().includes(filter.toLowerCase()));
}

function originText(folder: string | undefined): string {
  return folder === undefined
    ? 'Scenarios that Truecast ships. A folder named ensembles in the directory of the server replaces them.'
    : `From the folder ${folder} in the directory of the server.`;
}

interface NoScenariosProps {
  readonly filter: string;
  readonly onClear: () => void;
}

function NoScenarios({ filter, onClear }: NoScenariosProps): ReactNode {
  return (
    <EmptyList
      filtered={filter === '' ? undefined : `No scenario contains “${filter}”.`}
      onClear={onClear}
      clearLabel="Clear the filter"
      action={<CommandLine command={COMMAND} />}
    >
      There are no scenarios yet. Each manifest in the folder <code>ensembles/scenarios</code> of the server’s
      directory appears here, with its cast.
    </EmptyList>
  );
}
