/** List of the runs of coding agents: durable ones, and those kept in the state folder, with filters in the address. */
import { useState, type ReactNode } from 'react';
import { CommandLine } from '../../parts/code/copy-button.tsx';
import { EmptyList } from '../../parts/list/empty-list.tsx';
import { ListBody, Toolbar, Views } from '../../parts/list/list-body.tsx';
import { Page } from '../../parts/page.tsx';
import { SearchField } from '../../parts/list/search-field.tsx';
import { SelectField, useAddressFilters, type Choice } from '../../parts/list/select-field.tsx';
import { CompareLink, SelectionBar } from '../../parts/list/selection-bar.tsx';
import { RunRows } from './run-rows.tsx';
import type { RunRow } from '../model/shown-run.ts';
import { useRuns } from './use-runs.ts';

const STATUSES: readonly Choice[] = [
  ['', 'All states'],
  ['queued', 'Queued'],
  ['live', 'Running'],
  ['canceling', 'Stopping'],
  ['valid', 'Valid'],
  ['failed', 'Failed'],
  ['done', 'Done, without an answer'],
  ['canceled', 'Canceled'],
  ['interrupted', 'Interrupted'],
];
const VIEWS: readonly Choice[] = [
  ['', 'All'],
  ['queued', 'Queued runs'],
  ['live', 'Running runs'],
  ['failed', 'Failed runs'],
  ['valid', 'Valid runs'],
];

const NONE: ReadonlySet<string> = new Set();

export function RunsPage(): ReactNode {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(NONE);
  const { list, rows, isFiltered } = useRuns();
  const ids = rows.map(({ id }) => id).filter((id) => chosen.has(id));
  return (
    <Page isFlush title="Runs">
      <Views views={VIEWS} />
      <ListBody
        list={list}
        isEmpty={rows.length === 0}
        empty={<NoRuns isFiltered={isFiltered} />}
        more="Show older runs"
        filters={
          <Toolbar search={<SearchField label="Filter by name, branch or prompt" />}>
            <SelectField label="State" name="status" choices={STATUSES} />
            <SelectField label="Agent" name="agent" choices={choicesOf(rows, 'agent')} />
            <SelectField label="Model" name="model" choices={choicesOf(rows, 'model')} />
            {rows.some(({ repository }) => repository !== undefined) && (
              <SelectField label="Repository" name="repository" choices={choicesOf(rows, 'repository')} />
            )}
          </Toolbar>
        }
      >
        <RunRows runs={rows} selection={{ keys: chosen, onChange: setChosen }} />
      </ListBody>
      <SelectionBar count={ids.length} onClear={() => setChosen(NONE)}>
        <CompareLink
          count={ids.length}
          href={ids.length < 2 ? undefined : `/compare?runs=${ids.map(encodeURIComponent).join(',')}`}
        />
      </SelectionBar>
    </Page>
  );
}

const ALL = { agent: 'All agents', model: 'All models', repository: 'All repositories' } as const;

function choicesOf(rows: readonly RunRow[], member: keyof typeof ALL): readonly Choice[] {
  const values = [...new Set(rows.flatMap((row) => row[member] ?? []))];
  return [['', ALL[member]], ...values.map((value) => [value, value] as const)];
}

const COMMAND = 'npx --no truecast run --agent claude-code --prompt "Find a bug."';

/** Explains why the list is empty. */
function NoRuns({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const { clear, get } = useAddressFilters();
  const text = get('sort').startsWith('cost')
    ? 'No run of this list has a known cost.'
    : 'No run matches these filters.';
  return (
    <EmptyList
      filtered={isFiltered ? text : undefined}
      onClear={clear}
      action={<CommandLine command={COMMAND} />}
    >
      There are no runs yet. Each run of a coding agent appears here from its start, with its answer and the
      text that the answer came from: in this repository, or through this server.
    </EmptyList>
  );
}
