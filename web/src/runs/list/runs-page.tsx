/** List of the runs of coding agents in the server's repository, with filters in the address. */
import { useState, type ReactNode } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { CommandLine } from '../parts/code/copy-button.tsx';
import { EmptyList } from '../parts/list/empty-list.tsx';
import { ListBody, Toolbar, Views } from '../parts/list/list-body.tsx';
import { Page } from '../parts/page.tsx';
import { SearchField } from '../parts/list/search-field.tsx';
import { SelectField, useAddressFilters, type Choice } from '../parts/list/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { runPageView, type RunPageView } from '@truecast/client/internal/wire/kept-run';
import { SelectionBar } from '../parts/list/selection-bar.tsx';
import { RunRows } from './run-rows.tsx';

const PAGE_SIZE = 100;
const STATUSES: readonly Choice[] = [
  ['', 'All states'],
  ['live', 'Live'],
  ['valid', 'Valid'],
  ['failed', 'Failed'],
  ['done', 'Done, without an answer'],
  ['interrupted', 'Interrupted'],
];
const VIEWS: readonly Choice[] = [
  ['', 'All'],
  ['live', 'Live runs'],
  ['failed', 'Failed runs'],
  ['valid', 'Valid runs'],
];

const NONE: ReadonlySet<string> = new Set();

export function RunsPage(): ReactNode {
  const { call } = useSession();
  const { get } = useAddressFilters();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE);
  const asked = {
    status: get('status') || undefined,
    agent: get('agent') || undefined,
    model: get('model') || undefined,
    q: get('q') || undefined,
  };
  const runs = useInfiniteQuery({
    queryKey: ['runs', asked],
    queryFn: ({ signal, pageParam }) => {
      const page = { limit: PAGE_SIZE, after: pageParam || undefined, ...asked };
      return call({ method: 'GET', path: `/api/kept_runs${toQuery(page)}`, shape: runPageView, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: RunPageView) => next,
    placeholderData: (previous) => previous,
  });
  const rows = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  const agents = [...new Set(rows.map(({ agent }) => agent))];
  const models = [...new Set(rows.flatMap(({ model }) => model ?? []))];
  const ids = rows.map(({ id }) => id).filter((id) => chosen.has(id));
  const isFiltered = Object.values(asked).some((value) => value !== undefined);
  return (
    <Page isFlush title="Runs">
      <Views views={VIEWS} />
      <ListBody
        list={runs}
        isEmpty={rows.length === 0}
        empty={<NoRuns isFiltered={isFiltered} />}
        more="Show older runs"
        filters={
          <Toolbar>
            <SearchField label="Filter by name, branch or prompt" />
            <SelectField label="State" name="status" choices={STATUSES} />
            <SelectField
              label="Agent"
              name="agent"
              choices={[['', 'All agents'], ...agents.map((agent) => [agent, agent] as const)]}
            />
            <SelectField
              label="Model"
              name="model"
              choices={[['', 'All models'], ...models.map((model) => [model, model] as const)]}
            />
          </Toolbar>
        }
      >
        <RunRows runs={rows} selection={{ keys: chosen, onChange: setChosen }} hasMore={runs.hasNextPage} />
      </ListBody>
      <SelectionBar
        count={ids.length}
        compareHref={ids.length < 2 ? undefined : `/compare?runs=${ids.map(encodeURIComponent).join(',')}`}
        onClear={() => setChosen(NONE)}
      />
    </Page>
  );
}

const COMMAND = 'npx --no truecast run --agent claude-code --prompt "Find a bug."';

/** Explains why the list is empty. */
function NoRuns({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const { clear } = useAddressFilters();
  return (
    <EmptyList
      filtered={isFiltered ? 'No run matches these filters.' : undefined}
      onClear={clear}
      action={<CommandLine command={COMMAND} />}
    >
      There are no runs yet. Each run of a coding agent in this repository appears here from its start, with
      its answer and the text that the answer came from.
    </EmptyList>
  );
}
