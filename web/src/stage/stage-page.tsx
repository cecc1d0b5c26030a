/** Page of one ensemble run: its lines up to a position, with a scrubber. Read-only. */
import type { ReactNode } from 'react';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { StageView } from './stage.tsx';
import { useLedger } from './use-ledger.ts';

export function StagePage({ runId }: { readonly runId: string }): ReactNode {
  const { run, events, isPending, error, isLive, retry } = useLedger(runId);
  return (
    <Page
      isWide
      crumb={STAGE}
      title={run?.scenario ?? 'Stage'}
      facts={
        run !== undefined && (
          <span className="text-sm text-muted">
            {isLive ? <LiveMark /> : run.ended_at === undefined ? 'open' : 'ended'}
          </span>
        )
      }
    >
      {isPending && <Skeleton />}
      {error !== null && (
        <div className="mb-4">
          <ProblemBox error={error} onRetry={retry} />
        </div>
      )}
      {run !== undefined && <StageView run={run} events={events} />}
    </Page>
  );
}

const STAGE = { href: '/stage', name: 'Stage' };

function LiveMark(): ReactNode {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden="true" className="size-2 rounded-full bg-accent" />
      live
    </span>
  );
}
