/** Chart of the first-try rate over time: lines, their 95 % interval, and a table of the figures. */
import type { ReactNode } from 'react';
import { FEW, partText, shareText } from './figures.ts';
import type { QualityView } from '@truecast/client/internal/wire/quality';
import { RatePlot, MAX_SERIES, seriesOf } from './rate-plot.tsx';
import { Card } from '../parts/card.tsx';
import { dateText, type ChartRange } from '../parts/bucket-text.ts';
import { bucketRange, INSET, linesOf, rangeBetween, type RateLine, type RatePoint } from './rate-points.ts';

interface ChartProps {
  readonly report: QualityView;
  /** Called with a selected range. Without it, none can be selected. */
  readonly onRange?: (range: ChartRange) => void;
}

/** Renders the chart of all answers, with a line for each of the first groups. */
export function RateChart({ report, onRange }: ChartProps): ReactNode {
  const { bucket } = report;
  const lines = linesOf(report).slice(0, MAX_SERIES + 1);
  const points = lines[0]?.points ?? [];
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const label = `First-try rate from ${dateText(first.start, bucket)} to ${dateText(last.start, bucket)}`;
  return (
    <Card
      title="First try over time"
      about={
        <>
          by {bucket}, with the 95 % interval. An open point has fewer than {FEW} answers.
          {onRange !== undefined && points.length > 1 && ' Drag to see a part.'}
        </>
      }
      aside={<Legend lines={lines} />}
    >
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 px-4 pt-4">
        <div
          className="flex flex-col justify-between text-right text-2xs text-muted"
          style={{ paddingBlock: INSET }}
          aria-hidden="true"
        >
          {['100 %', '75 %', '50 %', '25 %', '0 %'].map((text) => (
            <span key={text} className="-my-2">
              {text}
            </span>
          ))}
        </div>
        <RatePlot
          lines={lines}
          label={label}
          nameOf={(start) => dateText(start, bucket)}
          onRange={(shares) => {
            const range = rangeBetween(points, bucket, shares);
            if (range !== undefined) onRange?.(range);
          }}
        />
        <div className="col-start-2 mt-2 flex justify-between text-2xs text-muted" aria-hidden="true">
          {namedPoints(points).map(({ start }) => (
            <span key={start} className="only:mx-auto">
              {dateText(start, bucket)}
            </span>
          ))}
        </div>
      </div>
      <Figures points={points} bucket={bucket} onRange={onRange} />
    </Card>
  );
}

const MAX_NAMED = 5;

/** The points below which the chart has a date. They are evenly spread if the buckets are. */
function namedPoints(points: readonly RatePoint[]): readonly RatePoint[] {
  const steps = Math.min(MAX_NAMED, points.length) - 1;
  if (steps < 1) return points;
  const at = (index: number): number => Math.round((index / steps) * (points.length - 1));
  return Array.from({ length: steps + 1 }, (_none, index) => points[at(index)]).filter(
    (point) => point !== undefined,
  );
}

function Legend({ lines }: { readonly lines: readonly RateLine[] }): ReactNode {
  if (lines.length < 2) return null;
  return (
    <ul aria-label="Lines" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {lines.map(({ key = 'all answers' }, index) => (
        <li key={key} className="flex min-w-0 items-center gap-1.5">
          <svg width="24" height="8" aria-hidden="true" className="shrink-0">
            <line
              x1={0}
              x2={24}
              y1={4}
              y2={4}
              className={index === 0 ? 'stroke-accent' : seriesOf(index - 1).stroke}
              strokeDasharray={index === 0 ? '' : seriesOf(index - 1).dash}
              strokeWidth={2}
            />
          </svg>
          <span className="truncate">{key}</span>
        </li>
      ))}
    </ul>
  );
}

interface FiguresProps {
  readonly points: readonly RatePoint[];
  readonly bucket: QualityView['bucket'];
  readonly onRange: ((range: ChartRange) => void) | undefined;
}

/** Renders the table. Its first column selects a range by keyboard, as a drag does by pointer. */
function Figures({ points, bucket, onRange }: FiguresProps): ReactNode {
  const isSelectable = onRange !== undefined && points.length > 1;
  return (
    <details className="px-4 pt-1 pb-3 text-sm">
      <summary className="text-muted">Figures</summary>
      <table className="mt-2 w-full max-w-[480px] text-left">
        <thead className="text-muted">
          <tr>
            <th className="py-1 font-medium">Start</th>
            <th className="py-1 text-right font-medium">First try</th>
            <th className="py-1 text-right font-medium">Share</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {points.map(({ start, answers, firstTry }) => (
            <tr key={start}>
              <td className="py-1">
                {isSelectable ? (
                  <button
                    type="button"
                    className="text-accent-ink underline"
                    title={`Only this ${bucket}`}
                    onClick={() => onRange(bucketRange([start, start], bucket))}
                  >
                    {dateText(start, bucket)}
                  </button>
                ) : (
                  dateText(start, bucket)
                )}
              </td>
              <td className="py-1 text-right">{partText(firstTry, answers)}</td>
              <td className="py-1 text-right">{shareText(firstTry, answers)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
