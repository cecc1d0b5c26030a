/** Page of one ensemble run: its lines up to a position, with a scrubber. Read-only. */
import type { ReactNode } from 'react';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { EnsembleStatusWord } from '../parts/status-word.tsx';
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
          <EnsembleStatusWord
            isBadge
            status={isLive ? 'live' : run.ended_at === undefined ? 'open' : 'ended'}
          />
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
