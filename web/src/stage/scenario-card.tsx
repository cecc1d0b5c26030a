/** A scenario: its goal, its cast, the command that plays it, and its latest run. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { EnsembleRunView, ScenarioView } from '@truecast/client/internal/wire/ensemble';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { plural } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';

const CONTESTS: Readonly<Record<string, string>> = {
  versus: 'Members compete',
  judged: 'A judge names the winner',
  none: 'Without a contest',
};

interface CardProps {
  readonly scenario: ScenarioView;
  /** Latest runs of all scenarios, the newest first. Undefined until they are read. */
  readonly runs: readonly EnsembleRunView[] | undefined;
}

export function ScenarioCard({ scenario, runs }: CardProps): ReactNode {
  const { name, title, goal, cast, competition, default_seed } = scenario;
  const command = `npx --no truecast ensemble run ${name}`;
  return (
    <article aria-label={title} className="panel overflow-hidden">
      <div className="px-4 pt-3 pb-4">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h2 className="font-semibold break-words">{title}</h2>
          <span className="text-sm text-muted">{CONTESTS[competition] ?? competition}</span>
        </div>
        <p className="mt-1 max-w-[72ch] break-words">{goal}</p>
        <ul aria-label="Cast" className="mt-3 flex flex-wrap gap-1.5">
          {cast.map((member, index) => (
            // A name can be in the cast twice.
            <li key={`${index} ${member.name}`} className="rounded-sm border border-line px-2 py-0.5 text-sm">
              <span className="font-medium">{member.name}</span>{' '}
              <span className="text-muted">{member.role ?? 'no manifest'}</span>
            </li>
          ))}
        </ul>
        <p className="mt-3 text-sm break-words text-muted">Begins with: {default_seed}</p>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-line bg-well py-1.5 pr-2 pl-4">
        <div className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 break-words whitespace-pre-wrap">{command}</code>
          <CopyButton text={command} />
        </div>
        <LatestRun runs={runs?.filter((run) => run.scenario === name || run.scenario === title)} />
      </div>
    </article>
  );
}

function LatestRun({ runs }: { readonly runs: readonly EnsembleRunView[] | undefined }): ReactNode {
  const [latest] = runs ?? [];
  if (runs === undefined) return null;
  if (latest === undefined) return <span className="pr-2 text-sm text-muted">Not played yet</span>;
  return (
    <Link
      href={`/stage/${encodeURIComponent(latest.run_id)}`}
      className="flex min-h-11 items-center pr-2 text-sm text-accent-ink underline @2xl:min-h-0"
    >
      <span>
        {latest.ended_at === undefined ? 'Open run, started ' : `${plural(runs.length, 'run')}, the last `}
        <RelativeTime at={latest.started_at} />
      </span>
    </Link>
  );
}
