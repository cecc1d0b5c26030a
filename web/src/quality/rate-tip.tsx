/** Tip of the chart at one time: the share of each line with its interval, or its counts if they are few. */
import type { ReactNode } from 'react';
import { estimateRate } from '@truecast/core/internal/statistics/wilson-interval';
import { FEW, partText, percent } from './figures.ts';
import { WIDTH, type RateLine, type RatePoint } from './rate-points.ts';

interface TipProps {
  readonly lines: readonly RateLine[];
  /** Position of the pointer, as a share of the width. */
  readonly share: number;
  readonly nameOf: (start: string) => string;
}

/** Renders the tip. Screen readers have the table of the figures. */
export function RateTip({ lines, share, nameOf }: TipProps): ReactNode {
  const at = nearest(lines[0]?.points ?? [], share * WIDTH);
  if (at === undefined) return null;
  const left = `${(at.x / WIDTH) * 100}%`;
  const side = at.x > WIDTH / 2 ? 'right-full mr-3' : 'left-full ml-3';
  const rows = lines.flatMap(({ key = 'all answers', points }) => {
    const point = points.find(({ start }) => start === at.start);
    return point === undefined ? [] : [{ key, ...point }];
  });
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute inset-y-0 z-10 w-px bg-control"
      style={{ left }}
    >
      <div
        className={`absolute top-2 w-64 max-w-[60vw] rounded-lg border border-edge bg-raised p-2.5 text-xs shadow-3 ${side}`}
      >
        <p className="mb-1 font-medium">{nameOf(at.start)}</p>
        {rows.map(({ key, answers, firstTry }) => (
          <p key={key} className="flex gap-2 py-0.5">
            <span className="min-w-0 flex-1 truncate">{key}</span>
            <span className="font-medium whitespace-nowrap">
              {answers < FEW ? `few, ${partText(firstTry, answers)}` : percent(firstTry, answers)}
            </span>
            {answers >= FEW && (
              <span className="whitespace-nowrap text-muted">{rangeOf(firstTry, answers)}</span>
            )}
          </p>
        ))}
      </div>
    </div>
  );
}

function nearest(points: readonly RatePoint[], x: number): RatePoint | undefined {
  return points.toSorted((one, other) => Math.abs(one.x - x) - Math.abs(other.x - x))[0];
}

/** `67 to 75`, n. */
function rangeOf(firstTry: number, answers: number): string {
  const { low, high } = estimateRate(firstTry, answers);
  return `${Math.round(low * 100)} to ${Math.round(high * 100)} · n ${answers}`;
}
