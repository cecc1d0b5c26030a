/** Frame of the page of a run: its head with facts and actions, its problems, and its parts. */
import type { ReactNode } from 'react';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { Elapsed } from '../parts/relative-time.tsx';
import { RunStatusWord } from '../parts/status-word.tsx';
import { Replayed, titleOfRun } from './list/run-rows.tsx';
import type { FollowedEvents } from './model/followed-events.ts';
import type { ShownRun } from './model/shown-run.ts';
import { RunContent } from './run-content.tsx';

interface FrameProps {
  readonly read: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
  };
  readonly run: ShownRun | undefined;
  readonly followed: FollowedEvents;
  readonly actions?: ReactNode;
  /** Why an action failed. */
  readonly failure?: Error | undefined;
  /** The next thing to do, above the parts of the run. */
  readonly form?: ReactNode;
}

export function RunFrame({ read, run, followed, actions, failure, form }: FrameProps): ReactNode {
  return (
    <Page
      isFlush
      crumb={RUNS}
      title={run === undefined ? 'Run' : titleOfRun(run)}
      facts={run !== undefined && <HeadFacts run={run} />}
      actions={actions}
    >
      <div className="space-y-3 px-4 py-5 empty:hidden @2xl:px-5">
        {read.isPending && <Skeleton />}
        {read.error !== null && <ProblemBox error={read.error} onRetry={() => void read.refetch()} />}
        {failure !== undefined && <ProblemBox error={failure} />}
        {form}
      </div>
      {run !== undefined && <RunContent run={run} followed={followed} />}
    </Page>
  );
}

const RUNS = { href: '/runs', name: 'Runs' };

function HeadFacts({ run }: { readonly run: ShownRun }): ReactNode {
  const { status, attempts, agent, model, sandbox, egress, is_replayed: isReplayed, branch, durable } = run;
  const name = model === undefined ? agent : `${agent} ${model}`;
  const place = [name, durable?.repository, sandbox, egress && `egress ${egress}`];
  return (
    <>
      <span className="flex shrink-0 items-center gap-1.5">
        <RunStatusWord isBadge status={status} />
        {status === 'valid' && attempts.length > 0 && (
          <span className="text-xs text-ok">on attempt {attempts.length}</span>
        )}
        {durable !== undefined && (status === 'live' || status === 'canceling') && (
          <Elapsed since={run.started_at} />
        )}
      </span>
      {isReplayed === true && <Replayed />}
      <span className="text-xs text-muted">{place.filter(Boolean).join(' · ')}</span>
      {branch !== undefined && (
        <code className="min-w-0 truncate text-xs text-muted" title={branch}>
          {branch}
        </code>
      )}
    </>
  );
}
