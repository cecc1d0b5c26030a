/** Cards beside a transcript: commits, the merge command, and the use of the run. */
import type { ReactNode } from 'react';
import type { RunDetailView } from '@truecast/client/internal/wire/kept-run';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { countText, duration, money } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

const SHOWN_CHARS = 12;

export function RunSide({ run }: { readonly run: RunDetailView }): ReactNode {
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
          <ol className="divide-y divide-line">
            {commits.map((id) => (
              <li key={id} className="flex items-center gap-2.5 px-4 py-1.5 text-muted">
                <Icon name="commit" />
                <code className="min-w-0 flex-1 truncate text-ink">{id.slice(0, SHOWN_CHARS)}</code>
                <CopyButton text={id} label="Copy id" />
              </li>
            ))}
          </ol>
        </section>
      )}
      {branch !== undefined && commits.length > 0 && <Merge branch={branch} />}
      <Facts run={run} />
    </>
  );
}

function Merge({ branch }: { readonly branch: string }): ReactNode {
  const command = `git merge ${branch}`;
  return (
    <section aria-label="Merge" className="panel px-4 py-3">
      <h2 className="text-sm font-semibold">Merge by hand</h2>
      <div className="mt-2 flex items-center gap-2 rounded-md border border-line bg-well py-1 pr-1 pl-2.5">
        <code className="min-w-0 flex-1 break-words">{command}</code>
        <CopyButton text={command} />
      </div>
    </section>
  );
}

function Facts({
  run: { sandbox, egress, started_at: at, duration_ms: ms, usage },
}: {
  readonly run: RunDetailView;
}): ReactNode {
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Sandbox', sandbox],
    ['Network', egress],
    ['Started', <RelativeTime key="started" at={at} />],
    ['Took', duration(ms)],
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
