/** Lanes of a run: one row per actor with a mark for each of its lines, above the slider. */
import type { ReactNode } from 'react';
import type { EnsembleRunView } from '@truecast/client/internal/wire/ensemble';
import { LetterTile } from '../parts/letter-tile.tsx';
import type { StageLine } from './stage-lines.ts';

/** A longer run has several lines for each place of a mark. */
const MAX_PLACES = 120;
/** Further actors share one lane. */
const MAX_LANES = 8;
const OTHERS = 'others';

/** Marks of a lane, in the colours of the tiles. */
const MARKS = ['bg-accent', 'bg-ok-fill', 'bg-warn', 'bg-series-2', 'bg-series-5', 'bg-series-4'] as const;
/** Kinds that are notable whoever caused them. */
const NOTABLE: Readonly<Record<string, string>> = {
  'agent.failed': 'bg-bad-fill',
  'agent.skipped': 'bg-warn',
};

/** Returns the number of an actor's colours. Actors of one cast differ, up to six. */
export function actorLook({ cast }: Pick<EnsembleRunView, 'cast'>, actor: string): number | undefined {
  const index = cast.findIndex(({ name }) => name === actor);
  return index === -1 ? undefined : index;
}

interface LanesProps {
  readonly run: Pick<EnsembleRunView, 'cast'>;
  readonly lines: readonly StageLine[];
  readonly at: number;
}

/** Renders the lanes. The list of lines has the same information as text. */
export function ActorLanes({ run, lines, at }: LanesProps): ReactNode {
  const names = [
    ...new Set([...run.cast.map(({ name }) => name), ...lines.map(({ actor }) => actor)]),
  ].filter((name) => lines.some(({ actor }) => actor === name));
  const lanes = names.length > MAX_LANES ? [...names.slice(0, MAX_LANES - 1), OTHERS] : names;
  const perPlace = Math.max(1, Math.ceil(lines.length / MAX_PLACES));
  const places = Array.from(
    { length: Math.ceil(lines.length / perPlace) },
    (_none, index) => index * perPlace,
  );
  return (
    <div aria-hidden="true" className="mb-1 grid gap-y-1">
      {lanes.map((lane) => {
        const look = actorLook(run, lane);
        const isOwn = ({ actor }: StageLine): boolean =>
          lane === OTHERS ? !lanes.includes(actor) : actor === lane;
        return (
          <div key={lane} className="grid h-[18px] grid-cols-[18px_minmax(0,1fr)] items-center gap-2">
            <LetterTile name={lane} look={look} />
            <div className="flex h-full min-w-0 items-center overflow-hidden border-b border-line">
              {places.map((from) => {
                const own = lines.slice(from, from + perPlace).filter(isOwn);
                const notable = own
                  .map(({ event }) => NOTABLE[event.kind])
                  .find((each) => each !== undefined);
                const colour = notable ?? MARKS[(look ?? MARKS.length - 1) % MARKS.length] ?? '';
                const isNow = from <= at && at < from + perPlace;
                return (
                  <span key={from} className="flex min-w-0 flex-1 justify-center">
                    {own.length > 0 && (
                      <span
                        className={`h-3 min-w-0 rounded-[2px] ${isNow ? 'w-1.5' : 'w-1'} ${colour} ${from > at ? 'opacity-35' : ''}`}
                      />
                    )}
                  </span>
                );
              })}
            </div>
          </div>
        );
      })}
    </div>
  );
}
