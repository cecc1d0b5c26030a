/** Chart of the first-try rate over time: a line, its 95 % interval, and a table of the figures. */
import type { ReactNode } from 'react';
import { estimateRate } from '@truecast/core/internal/statistics/wilson-interval';
import { FEW, partText, shareText } from './figures.ts';
import type { QualityReport } from './quality-check.ts';

const WIDTH = 860;
const HEIGHT = 180;
/** Room for a point at an edge. */
const INSET = 6;

interface Point {
  readonly start: string;
  readonly answers: number;
  readonly firstTry: number;
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** Renders the chart of all answers. */
export function RateChart({ report }: { readonly report: QualityReport }): ReactNode {
  const points = pointsOf(report);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const label = `First-try rate from ${dateText(first.start, report)} to ${dateText(last.start, report)}`;
  return (
    <section aria-label="First try over time" className="panel px-4 pt-3 pb-3">
      <h2 className="font-semibold">First try over time</h2>
      <p className="text-sm text-muted">
        By {report.bucket}, with the 95 % interval. An open point has fewer than {FEW} answers.
      </p>
      <div className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div className="flex flex-col justify-between text-right text-xs text-muted" aria-hidden="true">
          <span>100 %</span>
          <span>50 %</span>
          <span>0 %</span>
        </div>
        <Plot points={points} label={label} />
        <div className="col-start-2 mt-1 flex justify-between text-xs text-muted" aria-hidden="true">
          {first === last ? (
            <span className="mx-auto">{dateText(first.start, report)}</span>
          ) : (
            [first, last].map(({ start }) => <span key={start}>{dateText(start, report)}</span>)
          )}
        </div>
      </div>
      <Figures points={points} report={report} />
    </section>
  );
}

function Plot({ points, label }: { readonly points: readonly Point[]; readonly label: string }): ReactNode {
  const line = points.map(({ x, y }) => `${x},${y}`).join(' ');
  const band = [
    ...points.map(({ x, high }) => `${x},${high}`),
    ...points.toReversed().map(({ x, low }) => `${x},${low}`),
  ].join(' ');
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className="h-[180px] w-full overflow-visible"
    >
      {[INSET, HEIGHT / 2, HEIGHT - INSET].map((y) => (
        <line
          key={y}
          x1={0}
          x2={WIDTH}
          y1={y}
          y2={y}
          className="stroke-line"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      <polygon points={band} className="fill-accent/25" />
      {points.length === 1 && <Interval points={points} />}
      <polyline
        points={line}
        className="fill-none stroke-accent"
        strokeWidth={2}
        vectorEffect="non-scaling-stroke"
      />
      {points.map((point) => (
        <Dot key={point.start} point={point} />
      ))}
    </svg>
  );
}

/** Renders the interval. A band of one point has no width. */
function Interval({ points }: { readonly points: readonly Point[] }): ReactNode {
  return points.map(({ start, x, low, high }) => (
    <line
      key={start}
      x1={x}
      x2={x}
      y1={low}
      y2={high}
      className="stroke-accent/25"
      strokeWidth={8}
      vectorEffect="non-scaling-stroke"
    />
  ));
}

/** A line of length 0 with round caps stays a circle when the drawing is stretched. */
function Dot({ point: { x, y, answers } }: { readonly point: Point }): ReactNode {
  const place = { x1: x, x2: x, y1: y, y2: y, vectorEffect: 'non-scaling-stroke' } as const;
  return (
    <g strokeLinecap="round">
      <line {...place} className="stroke-accent" strokeWidth={9} />
      {answers < FEW && <line {...place} className="stroke-raised" strokeWidth={5} />}
    </g>
  );
}

function Figures({
  points,
  report,
}: {
  readonly points: readonly Point[];
  readonly report: QualityReport;
}): ReactNode {
  return (
    <details className="mt-2 text-sm">
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
              <td className="py-1">{dateText(start, report)}</td>
              <td className="py-1 text-right">{partText(firstTry, answers)}</td>
              <td className="py-1 text-right">{shareText(firstTry, answers)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Returns positions in time. Days without answers stay a gap in the axis. */
function pointsOf({ buckets }: QualityReport): readonly Point[] {
  const all = buckets.filter(({ key }) => key === undefined);
  const times = all.map(({ start }) => Date.parse(start));
  const from = Math.min(...times);
  const range = Math.max(...times) - from;
  const yOf = (rate: number): number => INSET + (1 - rate) * (HEIGHT - 2 * INSET);
  return all.map(({ start, answers, first_try: firstTry }, index) => {
    const { rate, low, high } = estimateRate(firstTry, answers);
    const share = range === 0 ? 0.5 : ((times[index] ?? 0) - from) / range;
    const x = INSET + share * (WIDTH - 2 * INSET);
    return { start, answers, firstTry, x, y: yOf(rate), low: yOf(low), high: yOf(high) };
  });
}

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const HOUR = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
  timeZone: 'UTC',
});

function dateText(start: string, { bucket }: QualityReport): string {
  return bucket === 'hour' ? `${HOUR.format(new Date(start))} UTC` : DAY.format(new Date(start));
}
