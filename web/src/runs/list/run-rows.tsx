/** Rows of runs: what each agent answered, why it failed, or what it waits for. */
import type { ReactNode } from 'react';
import { countText, duration, money } from '../../parts/format.ts';
import { RunStatusWord } from '../../parts/status-word.tsx';
import { Table, type Column, type Selection } from '../../parts/list/table.tsx';
import { previewText } from '../../value/preview-text.ts';
import { FailureLine } from '../../value/failure-line.tsx';
import type { RunRow } from '../model/shown-run.ts';

const NUMBER = { isNumber: true } as const;
const COLUMNS: readonly Column<RunRow>[] = [
  {
    head: 'Agent',
    track: 'minmax(0,140px)',
    cell: ({ agent, model, repository }) => (
      <>
        <span className="block truncate">{agent}</span>
        <span className="block truncate text-muted">
          {[model, repository].filter((text) => text !== undefined).join(' · ')}
        </span>
      </>
    ),
    folded: ({ agent, model, repository }) =>
      [model === undefined ? agent : `${agent} ${model}`, repository]
        .filter((text) => text !== undefined)
        .join(' · '),
  },
  {
    ...NUMBER,
    head: 'Attempts',
    track: '60px',
    noun: 'attempts',
    orderBy: (run) => run.attempts,
    cell: (run) => run.attempts || undefined,
  },
  {
    ...NUMBER,
    head: 'Commits',
    track: '60px',
    noun: 'commits',
    cell: (run) => run.commits || undefined,
  },
  { ...NUMBER, head: 'Tokens', track: '64px', noun: 'tokens', isLast: true, cell: tokensOf },
  {
    ...NUMBER,
    head: 'Cost',
    track: '56px',
    isLast: true,
    orderBy: ({ usage }) => usage?.cost_usd,
    cell: ({ usage }) => (usage?.cost_usd === undefined ? undefined : money(usage.cost_usd)),
  },
  {
    ...NUMBER,
    head: 'Time',
    track: '52px',
    orderBy: ({ duration_ms: ms }) => ms,
    cell: ({ duration_ms: ms }) => (ms === undefined ? undefined : duration(ms)),
  },
];

function tokensOf({ usage }: RunRow): string | undefined {
  return usage && countText(usage.input_tokens + usage.output_tokens);
}

interface RowsProps {
  readonly runs: readonly RunRow[];
  /** Ids of the chosen runs, and their change. */
  readonly selection: Omit<Selection<RunRow>, 'nameOf'>;
}

/** Renders one link per run. */
export function RunRows({ runs, selection }: RowsProps): ReactNode {
  return (
    <Table
      label="Runs"
      rows={runs}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/runs/${id}`}
      state={({ status }) => <RunStatusWord status={status} />}
      titleHead="Run and outcome"
      title={Title}
      outcome={Outcome}
      columns={COLUMNS}
      timeHead="Started"
      timeOf={({ at }) => at}
      selection={{ ...selection, nameOf: titleOfRun }}
      isOrdered
    />
  );
}

function Title(run: RunRow): ReactNode {
  return (
    <>
      {titleOfRun(run)} {run.is_replayed === true && <Replayed />}
    </>
  );
}

/** Marks a replayed run: the agent was not started, and its text came from a recording. */
export function Replayed(): ReactNode {
  return <span className="rounded-sm bg-hover px-1.5 py-0.5 text-xs text-muted">Replayed</span>;
}

/** Returns the name of a run, or the first line of the prompt. */
export function titleOfRun({
  name,
  prompt_preview: prompt,
}: {
  readonly name?: string | undefined;
  readonly prompt_preview: string;
}): string {
  return name ?? (prompt.trim().split('\n')[0] || 'Run without a prompt');
}

function Outcome({ status, value_preview: value, failure, progress }: RunRow): ReactNode {
  if (progress !== undefined) return <Quiet>{progress}</Quiet>;
  if (failure !== undefined && status === 'failed') return <FailureLine {...failure} issue={failure.issue} />;
  if (failure !== undefined) return <Quiet>{failure.message}</Quiet>;
  if (value !== undefined) return <code className="block truncate text-muted">{previewText(value)}</code>;
  return <Quiet>{status === 'interrupted' ? 'Stopped.' : 'No answer was required.'}</Quiet>;
}

function Quiet({ children }: { readonly children: ReactNode }): ReactNode {
  return <span className="block break-words text-muted @2xl:truncate">{children}</span>;
}
