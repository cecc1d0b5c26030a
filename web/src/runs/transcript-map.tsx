/** Map of a long transcript: where its attempts are. A click shows the closest one. */
import type { MouseEvent, ReactNode } from 'react';
import type { RunAttempt } from '@truecast/client/internal/wire/run';

/** Minimum length. A shorter text fits on a screen. */
const MIN_CHARS = 4_000;

interface MapProps {
  readonly length: number;
  readonly attempts: readonly RunAttempt[];
}

/** Renders the map. The links above the transcript lead to the same attempts. */
export function TranscriptMap({ length, attempts }: MapProps): ReactNode {
  const marks = attempts.flatMap(({ code, span }, index) =>
    span === undefined ? [] : [{ number: index + 1, isValid: code === 'ok', share: span.start / length }],
  );
  if (length < MIN_CHARS || marks.length === 0) return null;
  const onClick = ({ clientY, currentTarget }: MouseEvent): void => {
    const { top, height } = currentTarget.getBoundingClientRect();
    const at = (clientY - top) / height;
    const [closest] = marks.toSorted((a, b) => Math.abs(a.share - at) - Math.abs(b.share - at));
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const behavior = still ? 'auto' : 'smooth';
    document.querySelector(`#attempt-${closest?.number}`)?.scrollIntoView({ block: 'center', behavior });
  };
  return (
    <div
      aria-hidden="true"
      data-map=""
      className="panel sticky top-6 hidden h-[min(480px,calc(100dvh-96px))] w-4 shrink-0 cursor-pointer bg-sunken lg:block"
      onClick={onClick}
    >
      {marks.map(({ number, isValid, share }) => (
        <span
          key={number}
          className={`absolute inset-x-0 -translate-y-1/2 text-center text-xs leading-none font-semibold ${isValid ? 'text-ok' : 'text-bad'}`}
          style={{ top: `${Math.min(98, Math.max(2, share * 100))}%` }}
        >
          {isValid ? '✓' : '×'}
        </span>
      ))}
    </div>
  );
}
