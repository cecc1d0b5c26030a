/** A rate with its 95 % interval as a bar and a dot. A small sample is grey, and its dot is open. */
import type { ReactNode } from 'react';
import { estimateRate } from '@truecast/core/internal/statistics/wilson-interval';
import { FEW } from './figures.ts';

interface IntervalProps {
  readonly part: number;
  readonly whole: number;
}

/** Renders the drawing. The words beside it have the figures. */
export function RateInterval({ part, whole }: IntervalProps): ReactNode {
  const { rate, low, high } = estimateRate(part, whole);
  const isFew = whole < FEW;
  const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
  return (
    <span aria-hidden="true" className="relative block h-2.5 min-w-16">
      <span className="absolute inset-x-0 top-1/2 h-px bg-line" />
      <span
        className={`absolute top-1/2 h-1.5 -translate-y-1/2 rounded-full ${isFew ? 'bg-control/35' : 'bg-accent/35'}`}
        style={{ left: percent(low), width: percent(high - low) }}
      />
      <span
        className={`absolute top-1/2 size-2.5 -translate-1/2 rounded-full border-2 ${isFew ? 'border-control bg-raised' : 'border-accent bg-accent'}`}
        style={{ left: percent(rate) }}
      />
    </span>
  );
}
