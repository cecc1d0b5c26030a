/** Rows of runs: what each agent answered, or why it failed. */
import type { ReactNode } from 'react';
import { CodeText } from '../parts/code/text-panel.tsx';
import { countText, duration, money } from '../parts/format.ts';
import { RunStatusWord } from '../parts/status-word.tsx';
import { Table, type Column, type Selection } from '../parts/list/table.tsx';
import { previewText } from '../value/preview-text.ts';
import type { KeptRunView } from '@truecast/client/internal/wire/kept-run';

const NUMBER = { isNumber: true } as const;
const COLUMNS: readonly Column<KeptRunView>[] = [
  {
    head: 'Agent',
    track: 'minmax(0,140px)',
    cell: ({ agent, model }) => (
      <>
        <span className="block truncate">{agent}</span>
        {model !== undefined && <span className="block truncate text-muted">{model}</span>}
      </>
    ),
    folded: ({ agent, model }) => (model === undefined ? agent : `${agent} ${model}`),
  },
  {
    ...NUMBER,
    head: 'Attempts',
    track: '60px',
    noun: 'attempts',
    orderBy: (run) => run.attempts.length,
    cell: (run) => run.attempts.length || undefined,
  },
  {
    ...NUMBER,
    head: 'Commits',
    track: '60px',
    noun: 'commits',
    cell: (run) => run.commits.length || undefined,
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
    cell: ({ duration_ms: ms }) => duration(ms),
  },
];

function tokensOf({ usage }: KeptRunView): string | undefined {
  return usage && countText(usage.input_tokens + usage.output_tokens);
}

interface RowsProps {
  readonly runs: readonly KeptRunView[];
  /** Ids of the chosen runs, and their change. */
  readonly selection: Omit<Selection<KeptRunView>, 'nameOf'>;
  /** True if older runs are not read yet. */
  readonly hasMore: boolean;
}

/** Renders one link per run. */
export function RunRows({ runs, selection, hasMore }: RowsProps): ReactNode {
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
      timeOf={({ started_at: at }) => at}
      selection={{ ...selection, nameOf: titleOfRun }}
      hasMore={hasMore}
    />
  );
}

function Title(run: KeptRunView): ReactNode {
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
}: Pick<KeptRunView, 'name' | 'prompt_preview'>): string {
  return name ?? (prompt.trim().split('\n')[0] || 'Run without a prompt');
}

function Outcome({ status, value_preview: value, error }: KeptRunView): ReactNode {
  if (status === 'live') return <span className="text-muted">The agent works.</span>;
  if (status === 'failed' || status === 'interrupted') {
    return (
      <span className={`block break-words @2xl:truncate ${status === 'failed' ? 'text-bad' : 'text-muted'}`}>
        <CodeText text={error ?? 'Stopped.'} />
      </span>
    );
  }
  if (value === undefined) return <span className="text-muted">No answer was required.</span>;
  return <code className="block truncate text-muted">{previewText(value)}</code>;
}
