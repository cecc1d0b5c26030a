/** Runs that a durable run repeats or continues, and those that repeat or continue it. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AgentRunDetailView, AgentRunView } from '@truecast/client/internal/wire/runs/agent-run';
import { RunStatusWord } from '../../parts/status-word.tsx';
import { rowOfDurable } from '../model/shown-run.ts';
import { useNextRuns } from './next-runs.ts';

const SHOWN_CHARS = 8;
const TO_PARENT: Readonly<Record<string, string>> = {
  retry: 'Repeats',
  continue: 'Continues',
  fork: 'Is a fork of',
  chat: 'Asked by the chat',
};
const TO_NEXT: Readonly<Record<string, string>> = {
  retry: 'Repeated by',
  continue: 'Continued by',
  fork: 'Forked by',
};

/** Renders nothing for a run that is alone. */
export function RelatedRuns({ run }: { readonly run: AgentRunDetailView }): ReactNode {
  const { parent_id: id, relation = 'retry' } = run;
  const next = useNextRuns(run.id);
  // A response of `/v1` has no page.
  const parent = relation === 'response' ? undefined : id;
  if (parent === undefined && next.length === 0) return null;
  return (
    <section aria-label="Related runs" className="panel overflow-hidden">
      <h2 className="border-b border-line px-4 py-2 text-sm font-semibold">Related runs</h2>
      <ul className="divide-y divide-line">
        {parent !== undefined && (
          <li>
            <Link
              href={`/${relation === 'chat' ? 'chats' : 'runs'}/${parent}`}
              className="block px-4 py-2 text-sm hover:bg-hover"
            >
              <span className="text-muted">{TO_PARENT[relation] ?? 'Follows'} </span>
              <code className="text-accent-ink underline">{parent.slice(0, SHOWN_CHARS)}</code>
            </Link>
          </li>
        )}
        {next.map((each) => (
          <li key={each.id}>
            <NextRun run={each} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NextRun({ run }: { readonly run: AgentRunView }): ReactNode {
  const { status } = rowOfDurable(run, Date.now());
  return (
    <Link href={`/runs/${run.id}`} className="block px-4 py-2 text-sm hover:bg-hover">
      <span className="flex items-center justify-between gap-3">
        <span className="text-muted">
          {TO_NEXT[run.relation ?? 'retry'] ?? 'Followed by'}{' '}
          <code className="text-accent-ink underline">{run.id.slice(0, SHOWN_CHARS)}</code>
        </span>
        <RunStatusWord status={status} />
      </span>
      <span className="line-clamp-1 break-all text-soft">{run.prompt_preview}</span>
    </Link>
  );
}
