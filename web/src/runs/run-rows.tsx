/** Rows of runs: what each run of a coding agent returned, or why not. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { duration, plural } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { RowList } from '../parts/row-list.tsx';
import { RunStatusWord } from '../parts/status-word.tsx';
import { previewText } from '../value/preview-text.ts';
import type { RunRow } from './run-check.ts';

const ROW_PX = 62;

/** Renders one link per run. */
export function RunRows({ runs }: { readonly runs: readonly RunRow[] }): ReactNode {
  const rows = runs.map((run) => ({ key: run.id, content: <Row run={run} /> }));
  return <RowList rows={rows} estimatedPx={ROW_PX} className="panel overflow-hidden" label="Runs" />;
}

function Row({ run }: { readonly run: RunRow }): ReactNode {
  const { id, status, agent, model, attempts, commits, started_at, duration_ms } = run;
  return (
    <Link
      href={`/runs/${id}`}
      className="-mt-px grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 border-t border-line px-4 py-2.5 hover:bg-sunken md:grid-cols-[84px_minmax(0,1fr)_auto]"
    >
      <span className="order-2 text-right md:order-none md:text-left">
        <RunStatusWord status={status} />
      </span>
      <span className="min-w-0">
        <span className="block truncate font-medium">{titleOfRun(run)}</span>
        <Outcome run={run} />
      </span>
      <span className="order-3 col-span-2 flex flex-wrap justify-between gap-x-3 text-sm text-muted md:order-none md:col-span-1 md:block md:text-right">
        <span className="block whitespace-nowrap">
          {agent}
          {model !== undefined && ` ${model}`} · <RelativeTime at={started_at} />
        </span>
        <span className="block truncate">
          {[
            run.is_replayed === true && 'replayed',
            attempts.length > 0 && plural(attempts.length, 'attempt'),
            commits.length > 0 && plural(commits.length, 'commit'),
            duration(duration_ms),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </span>
    </Link>
  );
}

/** Returns the name of a run, or the first line of its prompt. */
export function titleOfRun({
  name,
  prompt_preview: prompt,
}: Pick<RunRow, 'name' | 'prompt_preview'>): string {
  return name ?? (prompt.trim().split('\n')[0] || 'Run without a prompt');
}

function Outcome({ run: { status, value_preview, error } }: { readonly run: RunRow }): ReactNode {
  if (status === 'failed' || status === 'interrupted')
    return <span className="block truncate text-sm text-bad">{error ?? 'Stopped.'}</span>;
  if (status === 'live') return <span className="block text-sm text-muted">The agent works.</span>;
  if (value_preview === undefined)
    return <span className="block text-sm text-muted">No answer was required.</span>;
  return <code className="block truncate text-muted">{previewText(value_preview)}</code>;
}
