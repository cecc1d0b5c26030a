/** A rate in words, with its interval beside it. */
import type { ReactNode } from 'react';
import { FEW, partText, percent } from './figures.ts';
import { RateInterval } from './rate-interval.tsx';

interface ShareProps {
  readonly part: number;
  readonly whole: number;
}

/** Renders the counts of a small sample instead of a share. */
export function Few({ part, whole }: ShareProps): ReactNode {
  return <span className="text-muted">few, {partText(part, whole)}</span>;
}

export function RateShare({ part, whole }: ShareProps): ReactNode {
  return (
    // One width for the words, so that the intervals of all rows have one scale.
    <span className="grid grid-cols-[88px_minmax(64px,1fr)] items-center gap-3">
      {whole < FEW ? (
        <Few part={part} whole={whole} />
      ) : (
        <span className="font-medium">{percent(part, whole)}</span>
      )}
      <RateInterval part={part} whole={whole} />
    </span>
  );
}
