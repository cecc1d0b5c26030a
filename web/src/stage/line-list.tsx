/** Lines of a run up to a position, the newest at the end. */
import { useEffect, useRef, type ReactNode } from 'react';
import { countText, exactTime } from '../parts/format.ts';
import { LetterTile } from '../parts/letter-tile.tsx';
import type { EnsembleRunView } from '@truecast/client/internal/wire/ensemble';
import { actorLook } from './actor-lanes.tsx';
import type { StageLine } from './stage-lines.ts';

/** Maximum number of lines in the document, at any position of the scrubber. */
const SHOWN_LINES = 40;

interface ListProps {
  readonly run: Pick<EnsembleRunView, 'cast'>;
  readonly lines: readonly StageLine[];
  readonly at: number;
}

export function LineList({ run, lines, at }: ListProps): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const from = Math.max(0, at + 1 - SHOWN_LINES);
  const shown = lines.slice(from, at + 1);
  useEffect(() => {
    const box = list.current;
    box?.scrollTo({ top: box.scrollHeight });
  }, [at, lines.length]);
  if (lines.length === 0) return <p className="text-muted">No line matches these filters.</p>;
  return (
    <>
      {from > 0 && <p className="mb-2 text-sm text-muted">{countText(from)} earlier lines</p>}
      <ol
        ref={list}
        aria-label="Lines"
        tabIndex={0}
        className="panel max-h-[60dvh] divide-y divide-line overflow-y-auto"
      >
        {shown.map((line, index) => (
          <Line
            key={line.event.id}
            line={line}
            look={actorLook(run, line.actor)}
            isNow={from + index === at}
          />
        ))}
      </ol>
    </>
  );
}

interface LineProps {
  readonly line: StageLine;
  /** Number of the actor's colours. */
  readonly look: number | undefined;
  readonly isNow: boolean;
}

function Line({ line, look, isNow }: LineProps): ReactNode {
  const { event, actor, text, notes, isPrivate } = line;
  return (
    <li
      aria-current={isNow ? 'step' : undefined}
      className={`border-l-2 px-4 py-2.5 ${isNow ? 'border-l-accent bg-accent-soft' : 'border-l-transparent'}`}
    >
      <p className="flex flex-wrap gap-x-2 text-sm text-muted" title={exactTime(event.created_at)}>
        <span className="inline-flex items-center gap-2 font-medium text-ink">
          <LetterTile name={actor} look={look} />
          {actor}
        </span>
        <code className="text-xs leading-[22px]">{event.kind}</code>
        {isPrivate && <span className="badge">private</span>}
        <span className="ml-auto text-xs leading-[22px]">turn {event.turn}</span>
      </p>
      {text !== '' && <p className="pl-[26px] break-words whitespace-pre-wrap">{text}</p>}
      {notes.length > 0 && <p className="pl-[26px] text-sm break-words text-muted">{notes.join(' · ')}</p>}
    </li>
  );
}
