/** Evidence of a durable run: its request, its limits and each execution. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AgentRunDetailView } from '@truecast/client/internal/wire/runs/agent-run';
import { duration, exactTime, money, countText } from '../../parts/format.ts';
import { FactsList, type Fact } from '../../parts/facts-list.tsx';

const SHOWN_CHARS = 12;

export function DurableFacts({ run }: { readonly run: AgentRunDetailView }): ReactNode {
  return (
    <>
      <section aria-label="Request">
        <h2 className="mb-2 font-semibold">Request</h2>
        <FactsList facts={factsOf(run)} />
      </section>
      <section aria-label="Executions">
        <h2 className="mb-2 font-semibold">Executions</h2>
        {run.execution_history.length === 0 ? (
          <p className="text-muted">No worker has started it.</p>
        ) : (
          <Executions run={run} />
        )}
      </section>
    </>
  );
}

function factsOf(run: AgentRunDetailView): readonly Fact[] {
  const { receipt, limits, metadata = {} } = run;
  return [
    ['Repository', run.repository],
    ['Starts at', run.ref && <code className="break-all">{run.ref}</code>],
    ['Base', commit(receipt?.base_sha)],
    ['Head', commit(receipt?.head_sha)],
    parentOf(run),
    ['Earlier branches', branches(receipt?.earlier_branches)],
    ['Priority', run.priority === 0 ? undefined : run.priority],
    ['Metadata', textOf(metadata)],
    ['Limits', limitsText(limits)],
    ['Created', exactTime(run.created_at)],
    ['Starts after', run.start_after && exactTime(run.start_after)],
    ['Expires', run.expires_at && exactTime(run.expires_at)],
    ['Ended', run.ended_at && exactTime(run.ended_at)],
  ];
}

const RELATIONS: Readonly<Record<string, string>> = {
  retry: 'Repeats',
  continue: 'Continues',
  fork: 'Continues',
  chat: 'Asked by chat',
  response: 'Asked by response',
};

/** The run that this one follows, or the request that asked for it. A response of `/v1` has no page. */
function parentOf({ parent_id: id, relation = 'retry' }: AgentRunDetailView): Fact {
  const name = RELATIONS[relation] ?? 'Parent';
  if (id === undefined) return [name, undefined];
  if (relation === 'response') return [name, <code className="break-all">{id}</code>];
  return [
    name,
    <Link href={`/${relation === 'chat' ? 'chats' : 'runs'}/${id}`} className="text-accent-ink underline">
      {id.slice(0, SHOWN_CHARS)}
    </Link>,
  ];
}

function commit(sha: string | undefined): ReactNode {
  return sha && <code title={sha}>{sha.slice(0, SHOWN_CHARS)}</code>;
}

/** Agents worked on them until their worker was lost, and no execution continued there. */
function branches(names: readonly string[] | undefined): ReactNode {
  return names?.map((name) => (
    <code key={name} className="block break-all">
      {name}
    </code>
  ));
}

function textOf(metadata: Readonly<Record<string, string>>): string | undefined {
  const pairs = Object.entries(metadata).map(([key, value]) => `${key}: ${value}`);
  return pairs.length === 0 ? undefined : pairs.join(', ');
}

function limitsText({
  timeout_seconds: time,
  idle_timeout_seconds: idle,
  tokens,
  usd,
  executions,
}: AgentRunDetailView['limits']): string | undefined {
  const texts = [
    time && duration(time * 1_000),
    idle && `${duration(idle * 1_000)} without output`,
    tokens && `${countText(tokens)} tokens`,
    usd && money(usd),
    executions && `${executions} executions`,
  ].filter(Boolean);
  return texts.length === 0 ? undefined : texts.join(', ');
}

function Executions({
  run: { execution_history: history, receipt },
}: {
  readonly run: AgentRunDetailView;
}): ReactNode {
  return (
    <ol className="panel divide-y divide-line">
      {history.map(({ number, worker, started_at: from, ended_at: to, ending }, index) => (
        <li key={number} className="flex flex-wrap gap-x-4 gap-y-0.5 px-4 py-2">
          <span className="font-medium">{number}</span>
          <span>
            worker <code>{worker}</code>
          </span>
          <span className="text-muted">{exactTime(from)}</span>
          <span className={ending === 'lost' ? 'text-warn' : 'text-muted'}>
            {endingText(ending, receipt !== undefined && index === history.length - 1)}
            {to !== undefined && `, after ${duration(Date.parse(to) - Date.parse(from))}`}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** A worker also leaves a run whose agent it stopped, and no other one continues. */
function endingText(ending: string | undefined, isEnd: boolean): string {
  if (ending === undefined) return 'works';
  if (ending === 'lost') return 'its worker was lost';
  if (ending === 'left' && !isEnd) return 'its worker shut down, and another one continues';
  return ending === 'left' ? 'stopped the agent' : 'ended the run';
}
