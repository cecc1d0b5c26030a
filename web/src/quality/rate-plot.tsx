/** Drawing of first-try rates: a line with its interval, lines of groups with their looks, and a range that is dragged. */
import { useState, type PointerEvent, type ReactNode } from 'react';
import { FEW } from './figures.ts';
import { RateTip } from './rate-tip.tsx';
import { HEIGHT, INSET, WIDTH, type RateLine, type RatePoint } from './rate-points.ts';

/** Two positions as shares of the width. */
type Shares = readonly [from: number, to: number];

interface PlotProps {
  readonly lines: readonly RateLine[];
  readonly label: string;
  /** Names the time of a point. */
  readonly nameOf: (start: string) => string;
  readonly onRange: (shares: Shares) => void;
}

/** Renders the drawing. A drag across it selects a range. Escape ends the drag. */
export function RatePlot({ lines, label, nameOf, onRange }: PlotProps): ReactNode {
  const [shares, setShares] = useState<Shares>();
  const [pointed, setPointed] = useState<number>();
  const at = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  return (
    <div
      className="relative h-[220px] cursor-crosshair touch-pan-y select-none"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setShares([at(event), at(event)]);
      }}
      onPointerMove={(event) => {
        const share = at(event);
        setShares((known) => known && [known[0], share]);
        setPointed(share);
      }}
      onPointerLeave={() => setPointed(undefined)}
      onPointerCancel={() => setShares(undefined)}
      onPointerUp={() => {
        setShares(undefined);
        if (shares !== undefined) onRange(shares);
      }}
    >
      <Drawing lines={lines} label={label} />
      {pointed !== undefined && shares === undefined && (
        <RateTip lines={lines} share={pointed} nameOf={nameOf} />
      )}
      {shares !== undefined && (
        <div
          data-range=""
          className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent/15"
          style={{
            left: `${Math.min(...shares) * 100}%`,
            width: `${Math.abs(shares[1] - shares[0]) * 100}%`,
          }}
        />
      )}
    </div>
  );
}

/** At 100, 75, 50, 25 and 0 percent. */
const GRID_LINES = [0, 1, 2, 3, 4].map((step) => INSET + (step / 4) * (HEIGHT - 2 * INSET));

function Drawing({ lines, label }: Pick<PlotProps, 'lines' | 'label'>): ReactNode {
  const [all, ...groups] = lines;
  const points = all?.points ?? [];
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
      className="size-full overflow-visible"
    >
      {GRID_LINES.map((y) => (
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
      <polygon points={band} className="fill-accent/20" />
      {points.length === 1 && <Interval points={points} />}
      {groups.map(({ key, points: own }, index) => (
        <polyline
          key={key}
          points={pathOf(own)}
          className={`fill-none ${seriesOf(index).stroke}`}
          strokeWidth={1.5}
          strokeDasharray={seriesOf(index).dash}
          vectorEffect="non-scaling-stroke"
        />
      ))}
      <polyline
        points={pathOf(points)}
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

function pathOf(points: readonly RatePoint[]): string {
  return points.map(({ x, y }) => `${x},${y}`).join(' ');
}

/** Renders the interval. A band of one point has no width. */
function Interval({ points }: { readonly points: readonly RatePoint[] }): ReactNode {
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
function Dot({ point: { x, y, answers } }: { readonly point: RatePoint }): ReactNode {
  const place = { x1: x, x2: x, y1: y, y2: y, vectorEffect: 'non-scaling-stroke' } as const;
  return (
    <g strokeLinecap="round">
      <line {...place} className="stroke-accent" strokeWidth={9} />
      {answers < FEW && <line {...place} className="stroke-raised" strokeWidth={5} />}
    </g>
  );
}

interface Series {
  readonly stroke: string;
  readonly dash: string;
}

/** The first colour is that of all answers. */
const SERIES: readonly Series[] = [
  { stroke: 'stroke-series-2', dash: '6 3' },
  { stroke: 'stroke-series-3', dash: '2 3' },
  { stroke: 'stroke-series-4', dash: '9 3 2 3' },
  { stroke: 'stroke-series-5', dash: '12 4' },
  { stroke: 'stroke-series-6', dash: '3 6' },
];

/** Number of groups that have a line. */
export const MAX_SERIES: number = SERIES.length;

/** Returns the look of a line by its position. */
export function seriesOf(index: number): Series {
  return SERIES[index % SERIES.length] ?? { stroke: 'stroke-accent', dash: '' };
}
