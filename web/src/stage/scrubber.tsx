/** Scrubber of a run: a position among its lines, steps, and playback. */
import { useEffect, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { countText } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { type StageLine, afterStep, stepOfKey, type StageStep } from './stage-lines.ts';
import { readSingleKeys } from '../parts/single-keys.ts';

const STEP_MS = 900;
const SPEEDS = [0.5, 1, 2, 4];

interface ScrubberProps {
  readonly at: number;
  readonly lines: readonly StageLine[];
  readonly onChange: (at: number) => void;
  /** Above the controls. */
  readonly marks: ReactNode;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** Renders the controls. Space plays, arrow keys step, with Shift by turns, Home and End jump. */
export function Scrubber({ at, lines, onChange, marks, children }: ScrubberProps): ReactNode {
  const last = Math.max(0, lines.length - 1);
  const now = lines[at];
  const [speed, setSpeed] = useState(1);
  const [isPlaying, setPlaying] = usePlayback(at, last, STEP_MS / speed, onChange);
  const play = (): void => {
    if (!isPlaying && at >= last) onChange(0);
    setPlaying(!isPlaying);
  };
  const take = (step: StageStep): void => {
    setPlaying(false);
    onChange(afterStep(lines, at, step));
  };
  useStageKeys(({ key, shiftKey }) => {
    const step = stepOfKey(key, shiftKey);
    if (step !== undefined) take(step);
    else if (key === ' ' && last > 0) play();
    else return false;
    return true;
  });
  const button = { at, last, onStep: take };
  return (
    <div role="group" aria-label="Position" className="panel flex flex-wrap items-center gap-3 px-4 py-3">
      <div className="w-full">
        {marks}
        <Slider
          at={at}
          last={last}
          onChange={(next) => {
            setPlaying(false);
            onChange(next);
          }}
        />
      </div>
      <span className="flex items-center gap-1 @max-2xl:w-full @max-2xl:justify-between">
        <StepButton {...button} step="previous-turn" label="Previous turn" />
        <StepButton {...button} step="previous" label="Previous line" />
        <button className="button w-20" aria-pressed={isPlaying} disabled={last === 0} onClick={play}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <StepButton {...button} step="next" label="Next line" />
        <StepButton {...button} step="next-turn" label="Next turn" />
      </span>
      <SpeedField speed={speed} onChange={setSpeed} />
      <span className="ml-auto text-sm whitespace-nowrap text-muted">
        line {countText(at + 1)} of {countText(last + 1)}
        {now !== undefined && `, turn ${now.event.turn}`}
      </span>
      {children}
    </div>
  );
}

interface SliderProps {
  readonly at: number;
  readonly last: number;
  readonly onChange: (at: number) => void;
}

/** Below the lanes, beside their tiles. */
function Slider({ at, last, onChange }: SliderProps): ReactNode {
  return (
    <div className="pl-[26px]">
      <input
        type="range"
        className="scrub block w-full"
        style={{ '--at': `${last === 0 ? 0 : (100 * at) / last}%` } as CSSProperties}
        min={0}
        max={last}
        value={at}
        aria-label="Line of the run"
        aria-valuetext={`line ${at + 1} of ${last + 1}`}
        onChange={({ target }) => onChange(Number(target.value))}
      />
    </div>
  );
}

/** Moves to the next line after a time, until the last one. */
function usePlayback(
  at: number,
  last: number,
  stepMs: number,
  onChange: (at: number) => void,
): readonly [boolean, (isPlaying: boolean) => void] {
  const [isPlaying, setPlaying] = useState(false);
  const move = useRef(onChange);
  move.current = onChange;
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (at >= last) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => move.current(at + 1), stepMs);
    return () => clearTimeout(timer);
  }, [isPlaying, at, last, stepMs]);
  return [isPlaying, setPlaying];
}

interface StepProps {
  readonly at: number;
  readonly last: number;
  readonly step: StageStep;
  readonly label: string;
  readonly onStep: (step: StageStep) => void;
}

function StepButton({ at, last, step, label, onStep }: StepProps): ReactNode {
  const isBack = step.startsWith('previous');
  return (
    <button
      className="button min-w-9 px-2 @max-2xl:min-w-11"
      aria-label={label}
      title={label}
      disabled={isBack ? at === 0 : at === last}
      onClick={() => onStep(step)}
    >
      {Array.from({ length: step.endsWith('turn') ? 2 : 1 }, (_none, index) => (
        <Icon
          key={index}
          name="fold"
          className={`size-4 not-first:-ml-4 ${isBack ? 'rotate-90' : '-rotate-90'}`}
        />
      ))}
    </button>
  );
}

interface SpeedProps {
  readonly speed: number;
  readonly onChange: (speed: number) => void;
}

function SpeedField({ speed, onChange }: SpeedProps): ReactNode {
  return (
    <select
      className="field w-auto"
      aria-label="Speed"
      value={speed}
      onChange={({ target }) => onChange(Number(target.value))}
    >
      {SPEEDS.map((each) => (
        <option key={each} value={each}>
          {each}×
        </option>
      ))}
    </select>
  );
}

/** Elements that use arrow keys, Space, Home or End themselves. */
const USED = 'input, textarea, select, pre, dialog';
/** Elements that Space presses. */
const PRESSED = 'button, a, summary';

/** Calls `onKey` for each key, until the component is removed. It returns true if it used the key. */
function useStageKeys(onKey: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return;
      const isTurnOnSlider = shiftKey && target.matches('input[type=range]');
      if (
        (target.closest(USED) !== null && !isTurnOnSlider) ||
        document.querySelector('dialog[open]') !== null
      ) {
        return;
      }
      if (key === ' ' && (target.closest(PRESSED) !== null || !readSingleKeys())) return;
      if (latest.current(event)) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
