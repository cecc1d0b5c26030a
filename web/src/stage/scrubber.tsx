/** Scrubber of a run: a position among its lines, and playback. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { count } from '../parts/format.ts';
import type { StageLine } from './stage-lines.ts';

const STEP_MS = 900;

interface ScrubberProps {
  readonly at: number;
  readonly last: number;
  readonly now: StageLine | undefined;
  readonly onChange: (at: number) => void;
  /** Above the controls. */
  readonly marks: ReactNode;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** Renders the controls. Arrow keys, Home and End move the position. */
export function Scrubber({ at, last, now, onChange, marks, children }: ScrubberProps): ReactNode {
  const [isPlaying, setPlaying] = useState(false);
  const move = useRef(onChange);
  move.current = onChange;
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (at >= last) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => move.current(at + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, at, last]);
  const play = (): void => {
    if (!isPlaying && at >= last) onChange(0);
    setPlaying(!isPlaying);
  };
  return (
    <div role="group" aria-label="Position" className="panel flex flex-wrap items-center gap-3 px-4 py-3">
      {marks}
      <button className="button" aria-pressed={isPlaying} disabled={last === 0} onClick={play}>
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <input
        type="range"
        className="min-w-32 flex-1"
        min={0}
        max={last}
        value={at}
        aria-label="Line of the run"
        aria-valuetext={`line ${at + 1} of ${last + 1}`}
        onChange={({ target }) => {
          setPlaying(false);
          onChange(Number(target.value));
        }}
      />
      <span className="text-sm whitespace-nowrap text-muted">
        line {count(at + 1)} of {count(last + 1)}
        {now !== undefined && `, turn ${now.event.turn}`}
      </span>
      {children}
    </div>
  );
}
