/** Queue page of a durable run: the reason to wait, and the request. */
import type { ReactNode } from 'react';
import type { AgentRunDetailView } from '@truecast/client/internal/wire/runs/agent-run';
import { Icon } from '../../parts/icon.tsx';
import { exactTime } from '../../parts/format.ts';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { progressOf } from '../model/shown-run.ts';
import { RelatedRuns } from './related-runs.tsx';

export function QueuedRun({ run }: { readonly run: AgentRunDetailView }): ReactNode {
  const { waits_for: wait, start_after: start, expires_at: expiry, executions, prompt } = run;
  return (
    <div className="grid gap-6 @4xl:grid-cols-[minmax(0,1fr)_minmax(320px,372px)]">
      <div className="min-w-0 space-y-4 self-start @4xl:order-last">
        <section aria-label="Queue" className="panel px-4 py-3.5">
          <h2 className="flex items-center gap-2 text-sm font-semibold">
            <Icon name="queued" />
            {executions === 0 ? 'Not started' : 'Waits to be continued'}
          </h2>
          <p className="mt-1.5 text-soft">{progressOf(run)}</p>
          <ul className="mt-2 space-y-1 text-sm text-muted">
            <li>
              Created <RelativeTime at={run.created_at} />
            </li>
            {wait === 'start_after' && start !== undefined && <li>It starts after {exactTime(start)}.</li>}
            {expiry !== undefined && <li>It is canceled if it has not started by {exactTime(expiry)}.</li>}
            {run.priority !== 0 && <li>Priority {run.priority}</li>}
          </ul>
        </section>
        <RelatedRuns run={run} />
      </div>
      <section aria-label="Prompt" className="min-w-0">
        <h2 className="mb-2 text-sm font-semibold">Prompt</h2>
        <p
          tabIndex={0}
          className="panel max-h-[60dvh] overflow-auto bg-well p-4 break-words whitespace-pre-wrap"
        >
          {prompt}
        </p>
      </section>
    </div>
  );
}
