/**
 * Cast of a run: the speaker at the position, the winner, and the command that continues an open
 * run.
 */
import type { ReactNode } from 'react';
import type { EnsembleRunView } from '@truecast/client/internal/wire/ensemble';
import { LetterTile } from '../parts/letter-tile.tsx';
import { actorLook } from './actor-lanes.tsx';
import { CopyButton } from '../parts/code/copy-button.tsx';

interface CastProps {
  readonly run: EnsembleRunView;
  /** The speaker at the position. */
  readonly actor: string | undefined;
}

export function StageCast({ run, actor }: CastProps): ReactNode {
  const { cast, ended_at, reason, winner } = run;
  const winners = new Set(run.winners ?? (winner === undefined ? [] : [winner]));
  return (
    <section aria-label="Cast">
      <h2 className="mb-2 font-semibold">Cast</h2>
      <ul className="panel divide-y divide-line">
        {cast.map(({ name, role, model }) => (
          <li
            key={name}
            className={`border-l-2 px-4 py-2 ${name === actor ? 'border-l-accent bg-accent-soft' : 'border-l-transparent'}`}
          >
            <span className="inline-flex max-w-full items-center gap-2 font-medium break-words">
              <LetterTile name={name} look={actorLook(run, name)} />
              {name}
            </span>{' '}
            <span className="text-sm break-words text-muted">
              {role}, {model}
              {winners.has(name) ? ', winner' : ''}
            </span>
          </li>
        ))}
      </ul>
      {ended_at === undefined ? (
        <OpenRun runId={run.run_id} />
      ) : (
        <p className="mt-3 text-sm text-muted">
          Ended by {reason ?? 'its last event'}.{winner !== undefined && ` Winner: ${winner}.`}
        </p>
      )}
    </section>
  );
}

function OpenRun({ runId }: { readonly runId: string }): ReactNode {
  const resume = `npx --no truecast ensemble run --resume ${runId}`;
  return (
    <div className="mt-3 text-sm text-muted">
      <p>The run is open. If its process ended, this continues it:</p>
      <div className="mt-1 flex items-center gap-2">
        <code className="min-w-0 flex-1 rounded-sm bg-well px-2 py-1 break-words">{resume}</code>
        <CopyButton text={resume} />
      </div>
    </div>
  );
}
