/** Cards beside the changes and the transcript: commits, the merge command, and the use of the run. */
import { useState, type ReactNode } from 'react';
import { AGENT_NAMES } from 'truecast/internal/agents/registry/agent-names';
import { AddedRemoved } from '../changes/file-diff.tsx';
import { LineText } from '../changes/line-text.tsx';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { CopyIcon } from '../parts/copy-icon.tsx';
import { countText, duration, money } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useRunChanges } from './run-changes.tsx';
import { RunArtifacts } from './durable/run-artifacts.tsx';
import { RelatedRuns } from './durable/related-runs.tsx';
import { repeatCommand } from './model/repeat-command.ts';
import type { ShownRun } from './model/shown-run.ts';

const SHOWN_CHARS = 7;

export function RunSide({ run }: { readonly run: ShownRun }): ReactNode {
  const { commits, branch } = run;
  return (
    <>
      {commits.length > 0 && (
        <section aria-label="Commits" className="panel overflow-hidden">
          <header className="flex min-h-10 items-center gap-2 border-b border-line px-4 py-2">
            <h2 className="text-sm font-semibold">Commits</h2>
            <span className="rounded-full bg-hover px-1.5 text-2xs text-muted">
              {countText(commits.length)}
            </span>
          </header>
          <CommitList run={run} />
        </section>
      )}
      {branch !== undefined && commits.length > 0 && run.status !== 'live' && (
        <Merge branch={branch} isPushed={run.durable?.receipt?.pushed === true} />
      )}
      {run.durable === undefined && run.status !== 'live' && run.prompt !== '' && <RepeatRun run={run} />}
      {run.durable !== undefined && <RelatedRuns run={run.durable} />}
      {run.durable?.receipt !== undefined && <RunArtifacts run={run.durable} />}
      <Facts run={run} />
    </>
  );
}

/** A commit that the repository no longer has has no subject. */
function CommitList({ run }: { readonly run: ShownRun }): ReactNode {
  const { data } = useRunChanges(run);
  const { get, change } = useAddressFilters();
  return (
    <ol className="divide-y divide-line">
      {run.commits.map((id) => {
        const found = data?.commits.find((commit) => commit.id === id);
        const isChosen = get('commit') === id;
        return (
          <li
            key={id}
            className={`flex items-center gap-2.5 py-1.5 pr-2 pl-4 ${isChosen ? 'bg-accent-soft' : ''}`}
          >
            <Icon name="commit" className="size-4 shrink-0 text-muted" />
            <div className="min-w-0 flex-1">
              {found !== undefined && (
                <button
                  type="button"
                  aria-pressed={isChosen}
                  className="block max-w-full truncate text-left text-sm font-medium hover:underline"
                  title={found.subject}
                  onClick={() =>
                    change({ tab: 'changes', commit: isChosen ? '' : id, attempt: '', field: '' })
                  }
                >
                  <LineText text={found.subject === '' ? 'No message' : found.subject} />
                </button>
              )}
              <span className="text-xs text-muted">
                <code className="text-xs">{id.slice(0, SHOWN_CHARS)}</code>
                {found !== undefined && (
                  <>
                    {' · '}
                    <AddedRemoved added={found.added} removed={found.removed} />
                  </>
                )}
              </span>
            </div>
            <CopyIcon text={id} label={`Copy id ${id.slice(0, SHOWN_CHARS)}`} />
          </li>
        );
      })}
    </ol>
  );
}

interface MergeProps {
  readonly branch: string;
  /** True if the address of the repository has the branch. */
  readonly isPushed: boolean;
}

function Merge({ branch, isPushed }: MergeProps): ReactNode {
  const command = isPushed ? `git fetch origin ${branch} && git merge FETCH_HEAD` : `git merge ${branch}`;
  return (
    <section aria-label="Merge" className="panel px-4 py-3">
      <h2 className="text-sm font-semibold">Merge by hand</h2>
      <div className="mt-2 flex items-center gap-2 rounded-md border border-line bg-well py-1 pr-1 pl-2.5">
        <code className="min-w-0 flex-1 break-words">{command}</code>
        <CopyIcon text={command} label="Copy the merge command" />
      </div>
    </section>
  );
}

function Facts({
  run: { sandbox, egress, started_at: at, duration_ms: ms, usage, durable, status },
}: {
  readonly run: ShownRun;
}): ReactNode {
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Repository', durable?.repository],
    ['Worker', durable?.worker],
    ['Execution', durable && durable.executions > 1 ? `${durable.executions}` : undefined],
    ['Sandbox', sandbox],
    ['Network', egress],
    ['Started', <RelativeTime key="started" at={at} />],
    ['Took', status === 'live' || status === 'canceling' ? undefined : duration(ms)],
    ['Tokens', usage && countText(usage.input_tokens + usage.output_tokens)],
    ['Cost', usage?.cost_usd === undefined ? undefined : money(usage.cost_usd)],
  ];
  return (
    <dl className="grid gap-x-4 gap-y-1.5 px-1 text-sm @2xl:grid-cols-2 @4xl:grid-cols-1 @6xl:grid-cols-2">
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name} className="flex min-w-0 justify-between gap-3">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 text-right break-words">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function RepeatRun({ run }: { readonly run: ShownRun }): ReactNode {
  const others = AGENT_NAMES.filter((name) => name !== run.agent);
  const [agent, setAgent] = useState<string>(others[0] ?? run.agent);
  const command = repeatCommand(run.prompt, agent);
  return (
    <section aria-label="Repeat with another agent" className="panel px-4 py-3">
      <h2 className="text-sm font-semibold">Repeat with another agent</h2>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <select
          className="field w-auto min-w-0 flex-1"
          aria-label="Other agent"
          value={agent}
          onChange={({ target }) => setAgent(target.value)}
        >
          {others.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <CopyButton text={command} label="Copy command" isQuiet={false} />
      </div>
      <pre
        tabIndex={0}
        role="group"
        aria-label="Command"
        className="mt-2 max-h-32 overflow-auto rounded-md border border-line bg-well px-2.5 py-1.5 break-words whitespace-pre-wrap"
      >
        {command}
      </pre>
      {run.schema_hash !== undefined && (
        <p className="mt-2 text-xs text-muted">Add --schema with the schema of this run.</p>
      )}
    </section>
  );
}
