/**
 * Rows of runs: the result of each run of a coding agent or the reason for its failure, and its
 * cost.
 */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CodeText } from '../parts/code/text-panel.tsx';
import { countText, duration, money, plural } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { RowList } from '../parts/row-list.tsx';
import { RunStatusWord } from '../parts/status-word.tsx';
import { previewText } from '../value/preview-text.ts';
import type { KeptRunView } from '@truecast/client/internal/wire/run';

const ROW_PX = 62;
const COLUMNS =
  'md:grid-cols-[96px_minmax(0,1fr)_auto] lg:grid-cols-[104px_minmax(0,1fr)_152px_64px_64px_72px_56px_56px_88px]';
const HEADINGS = ['State', 'Run', 'Agent', 'Attempts', 'Commits', 'Tokens', 'Cost', 'Time', 'Started'];
/** Headings from this column on are right-aligned, because they are above numbers. */
const FIRST_NUMBER = 3;

/** Renders one link per run. */
export function RunRows({ runs }: { readonly runs: readonly KeptRunView[] }): ReactNode {
  const rows = runs.map((run) => ({ key: run.id, content: <Row run={run} /> }));
  return (
    <>
      <div aria-hidden="true" className={`hidden gap-x-4 px-4 pb-1.5 text-sm text-muted lg:grid ${COLUMNS}`}>
        {HEADINGS.map((heading, index) => (
          <span key={heading} className={index >= FIRST_NUMBER ? 'text-right' : ''}>
            {heading}
          </span>
        ))}
      </div>
      <RowList rows={rows} estimatedPx={ROW_PX} className="panel overflow-hidden" label="Runs" />
    </>
  );
}

function Row({ run }: { readonly run: KeptRunView }): ReactNode {
  const { id, status, agent, model, is_replayed: isReplayed } = run;
  return (
    <Link
      href={`/runs/${id}`}
      className={`-mt-px grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 border-t border-line px-4 py-2.5 hover:bg-sunken lg:items-center ${COLUMNS}`}
    >
      <span className="order-1 text-right md:order-none md:text-left">
        <RunStatusWord status={status} />
      </span>
      <span className="contents md:block md:min-w-0">
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{titleOfRun(run)}</span>
          {isReplayed === true && <Replayed />}
        </span>
        <Outcome run={run} />
      </span>
      <Narrow run={run} />
      <span className="hidden min-w-0 text-sm lg:block">
        <span className="block truncate">{agent}</span>
        {model !== undefined && <span className="block truncate text-muted">{model}</span>}
      </span>
      <Numbers run={run} />
    </Link>
  );
}

/** Renders the cells of a wide screen. Screen readers get the nouns of the headings. */
function Numbers({ run }: { readonly run: KeptRunView }): ReactNode {
  const { attempts, commits, usage, started_at: startedAt, duration_ms: durationMs } = run;
  const tokens = usage && usage.input_tokens + usage.output_tokens;
  const cells: readonly (readonly [string, ReactNode])[] = [
    ['attempts', attempts.length || undefined],
    ['commits', commits.length || undefined],
    ['tokens', tokens && countText(tokens)],
    ['', usage?.cost_usd === undefined ? undefined : money(usage.cost_usd)],
    ['', duration(durationMs)],
    ['', <RelativeTime key="time" at={startedAt} />],
  ];
  return cells.map(([noun, value], index) => (
    // The columns are fixed.
    <span
      key={index}
      className="hidden text-right text-sm whitespace-nowrap text-muted tabular-nums lg:block"
    >
      {value}
      {value !== undefined && noun !== '' && <span className="sr-only"> {noun}</span>}
    </span>
  ));
}

/** Summary of a narrow screen. */
function Narrow({ run }: { readonly run: KeptRunView }): ReactNode {
  const { agent, model, attempts, commits, usage, started_at: startedAt, duration_ms: durationMs } = run;
  const facts = [
    attempts.length > 0 && plural(attempts.length, 'attempt'),
    commits.length > 0 && plural(commits.length, 'commit'),
    usage?.cost_usd !== undefined && money(usage.cost_usd),
    duration(durationMs),
  ];
  return (
    <span className="order-3 col-span-2 flex flex-wrap justify-between gap-x-3 text-sm text-muted md:order-none md:col-span-1 md:block md:text-right lg:hidden">
      <span className="block whitespace-nowrap">
        {agent}
        {model !== undefined && ` ${model}`} · <RelativeTime at={startedAt} />
      </span>
      <span className="block truncate">{facts.filter(Boolean).join(' · ')}</span>
    </span>
  );
}

/** Marks a replayed run: the agent was not started, and its text came from a recording. */
export function Replayed(): ReactNode {
  return <span className="rounded-sm bg-sunken px-1.5 py-0.5 text-sm text-muted">Replayed</span>;
}

/** Returns the name of a run, or the first line of its prompt. */
export function titleOfRun({
  name,
  prompt_preview: prompt,
}: Pick<KeptRunView, 'name' | 'prompt_preview'>): string {
  return name ?? (prompt.trim().split('\n')[0] || 'Run without a prompt');
}

function Outcome({ run: { status, value_preview, error } }: { readonly run: KeptRunView }): ReactNode {
  if (status === 'live') {
    return <span className="order-2 col-span-2 text-sm text-muted md:block">The agent works.</span>;
  }
  if (status === 'failed' || status === 'interrupted') {
    return (
      <span
        className={`order-2 col-span-2 min-w-0 truncate text-sm md:block ${status === 'failed' ? 'text-bad' : 'text-muted'}`}
      >
        <CodeText text={error ?? 'Stopped.'} />
      </span>
    );
  }
  if (value_preview === undefined) {
    return <span className="order-2 col-span-2 text-sm text-muted md:block">No answer was required.</span>;
  }
  return (
    <code className="order-2 col-span-2 min-w-0 truncate text-muted md:block">
      {previewText(value_preview)}
    </code>
  );
}
