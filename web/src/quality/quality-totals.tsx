/** Totals of the quality report, each with its course and its change since the period before. */
import type { ReactNode } from 'react';
import type { QualityFigures, QualityView } from '@truecast/client/internal/wire/quality';
import { countText, duration, money } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { deviationsText, FEW, partText, shareText } from './figures.ts';

interface TotalsProps {
  readonly report: QualityView;
  /** Totals of the period before. @default none: no change is shown */
  readonly before?: QualityFigures | undefined;
}

/** A figure. A course has one value per bucket. */
interface Tile {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly change?: Change | undefined;
  readonly course?: readonly number[];
}

interface Change {
  readonly text: string;
  readonly isRise: boolean;
  /** True for a change for the worse. */
  readonly isBad: boolean;
}

/** Renders the figures of all answers. */
export function QualityTotals({ report, before }: TotalsProps): ReactNode {
  const { totals } = report;
  const tiles = tilesOf(report, before);
  return (
    <>
      <dl className="panel grid grid-cols-2 overflow-hidden @2xl:grid-cols-3 @4xl:grid-cols-5">
        {tiles.map(({ name, value, note, change, course }) => (
          <div
            key={name}
            className="-mt-px -ml-px flex flex-col border-t border-l border-line px-4 pt-3 pb-2 last:@max-2xl:col-span-2"
          >
            <dt className="caption">{name}</dt>
            <dd className="text-xl font-semibold tracking-[-0.02em] whitespace-nowrap">{value}</dd>
            <dd className="flex min-h-4 flex-wrap gap-x-2 text-xs text-muted">
              {note}
              {change !== undefined && <ChangeText {...change} />}
            </dd>
            {course !== undefined && course.length > 1 && (
              <dd aria-hidden="true" className="mt-auto pt-1.5">
                <Course values={course} isBad={change?.isBad === true} />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {totals.deviations !== undefined && (
        <p className="text-sm text-muted">Ensembles: {deviationsText(totals.deviations)}</p>
      )}
    </>
  );
}

function tilesOf({ totals, buckets }: QualityView, before: QualityFigures | undefined): readonly Tile[] {
  const { answers, first_try, valid, attempts, unanswered, cost_usd, p50_ms: p50, p95_ms: p95 } = totals;
  const all = buckets.filter(({ key }) => key === undefined);
  const courseOf = (part: 'first_try' | 'valid'): readonly number[] =>
    all.map((bucket) => (bucket.answers === 0 ? 0 : bucket[part] / bucket.answers));
  return [
    {
      name: 'Answers',
      value: countText(answers),
      note: unanswered === 0 ? '' : `${countText(unanswered)} without an attempt`,
      change: answersChange(totals, before),
      course: all.map((bucket) => bucket.answers),
    },
    {
      name: 'First try',
      value: shareText(first_try, answers),
      note: partText(first_try, answers),
      change: changeOf(totals, before, 'first_try'),
      course: courseOf('first_try'),
    },
    {
      name: 'In the end',
      value: shareText(valid, answers),
      note: answers === 0 ? '' : `${(attempts / answers).toFixed(2)} attempts per answer`,
      change: changeOf(totals, before, 'valid'),
      course: courseOf('valid'),
    },
    {
      name: 'Time, median',
      value: p50 === undefined ? '–' : duration(p50),
      note: p95 === undefined ? 'not recorded' : `95 % within ${duration(p95)}`,
      change: timeChange(totals, before),
      course: all.flatMap((bucket) => (bucket.p50_ms === undefined ? [] : [bucket.p50_ms])),
    },
    {
      name: 'Cost',
      value: cost_usd === undefined ? '–' : money(cost_usd),
      note:
        cost_usd === undefined || answers === 0 ? 'not recorded' : `${money(cost_usd / answers)} per answer`,
      change: costChange(totals, before),
    },
  ];
}

/** Points of a share since the period before. Undefined if one of them has few answers. */
function changeOf(
  now: QualityFigures,
  before: QualityFigures | undefined,
  part: 'first_try' | 'valid',
): Change | undefined {
  if (before === undefined || Math.min(now.answers, before.answers) < FEW) return undefined;
  const points = 100 * (now[part] / now.answers - before[part] / before.answers);
  const text = `${points >= 0 ? '+' : ''}${points.toFixed(1)}`;
  return Number(text) === 0 ? undefined : { text, isRise: points > 0, isBad: points < 0 };
}

/** Share of more or fewer answers, which is neither good nor bad. */
function answersChange({ answers }: QualityFigures, before: QualityFigures | undefined): Change | undefined {
  if (before === undefined || before.answers < FEW) return undefined;
  const percents = Math.round(100 * (answers / before.answers - 1));
  if (percents === 0) return undefined;
  return { text: `${percents > 0 ? '+' : ''}${percents} %`, isRise: percents > 0, isBad: false };
}

/** Smaller changes are within the accuracy of the figures. */
const MIN_TIME_CHANGE = 0.1;

function timeChange(now: QualityFigures, before: QualityFigures | undefined): Change | undefined {
  const [p50, other] = [now.p50_ms, before?.p50_ms];
  if (p50 === undefined || other === undefined || before === undefined) return undefined;
  if (Math.min(now.answers, before.answers) < FEW) return undefined;
  if (Math.abs(p50 / other - 1) < MIN_TIME_CHANGE) return undefined;
  return {
    text: `${p50 > other ? '+' : '-'}${duration(Math.abs(p50 - other))}`,
    isRise: p50 > other,
    isBad: p50 > other,
  };
}

function costChange(now: QualityFigures, before: QualityFigures | undefined): Change | undefined {
  if (now.cost_usd === undefined || before?.cost_usd === undefined) return undefined;
  const more = now.cost_usd - before.cost_usd;
  if (more === 0) return undefined;
  return { text: `${more > 0 ? '+' : '-'}${money(Math.abs(more))}`, isRise: more > 0, isBad: false };
}

function ChangeText({ text, isRise, isBad }: Change): ReactNode {
  return (
    <span
      className={`inline-flex items-center gap-1 whitespace-nowrap ${isBad ? 'text-bad' : 'text-muted'}`}
      title="Since the period before"
    >
      <Icon name={isRise ? 'up' : 'down'} className="size-3.5" />
      {text}
    </span>
  );
}

const WIDTH = 100;
const HEIGHT = 24;
const INSET = 2;

/** Line between the lowest and the highest value. */
function Course({
  values,
  isBad,
}: {
  readonly values: readonly number[];
  readonly isBad: boolean;
}): ReactNode {
  const low = Math.min(...values);
  const range = Math.max(...values) - low;
  const points = values.map((value, index) => {
    const share = range === 0 ? 0.5 : (value - low) / range;
    const x = (index / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(INSET + (1 - share) * (HEIGHT - 2 * INSET)).toFixed(1)}`;
  });
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="h-6 w-full">
      <polyline
        points={points.join(' ')}
        className={`fill-none ${isBad ? 'stroke-bad-fill' : 'stroke-accent'}`}
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
