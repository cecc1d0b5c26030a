/** Bounds of ratios: written from a run, and compared with a later one. Pure. */
import { formatNumber } from './format.ts';
import { ratiosOf, type Ratio } from './ratios.ts';
import type { Report } from './report.ts';

/** The bound of one ratio: the most that ours may take, or the least that another must take. */
export interface Limit {
  /** The ratio of the run that set the bound. */
  readonly value: number;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** The aim. Listed as long as a run is worse. */
  readonly goal?: number;
}

/** Content of `bench/limits.json`. */
export interface Limits {
  readonly measured: {
    readonly date: string;
    readonly commit: string;
    readonly machine: string;
    /** True if the run was `--quick`. A check runs as the limits were measured. */
    readonly isQuick: boolean;
  };
  readonly rule: string;
  readonly ratios: Readonly<Record<string, Limit>>;
}

/** Outcome of a comparison, in lines for a person. */
export interface CheckedRatios {
  /** Beyond a bound, without one, or not measured. */
  readonly problems: readonly string[];
  /** Within the bound, and worse than the goal. */
  readonly worseThanGoal: readonly string[];
}

/** A full run repeats each measurement until it is stable. A quick one has a few rounds. */
const MARGIN = { full: 1.5, quick: 3 } as const;

/** Compares the ratios of reports with their bounds. Only benches in `reports` are compared. */
export function checkLimits(limits: Limits, reports: readonly Report[]): CheckedRatios {
  const ratios = reports.flatMap(ratiosOf);
  const problems: string[] = [];
  const worseThanGoal: string[] = [];
  for (const { key, value, isOurs } of ratios) {
    const limit = limits.ratios[key];
    const shown = `${key}: ${formatNumber(value)}x`;
    if (limit === undefined) problems.push(`${shown}, no bound. Add one with \`--write-limits\`.`);
    else if (limit.atMost !== undefined && !(value <= limit.atMost)) {
      problems.push(`${shown}, expected at most ${formatNumber(limit.atMost)}x.`);
    } else if (limit.atLeast !== undefined && !(value >= limit.atLeast)) {
      problems.push(`${shown}, expected at least ${formatNumber(limit.atLeast)}x.`);
    } else if (limit.goal !== undefined && (isOurs ? value > limit.goal : value < limit.goal)) {
      worseThanGoal.push(`${shown}, goal ${formatNumber(limit.goal)}x.`);
    }
  }
  const measured = new Set(ratios.map(({ key }) => key));
  const names = new Set(reports.map(({ name }) => name));
  for (const key of Object.keys(limits.ratios)) {
    if (!names.has(key.split(' | ')[0] ?? '') || measured.has(key)) continue;
    problems.push(`${key}: has a bound, but was not measured.`);
  }
  return { problems, worseThanGoal };
}

/** Writes limits from a run. Goals, and bounds of benches that did not run, are those of `earlier`. */
export function limitsOf(
  reports: readonly Report[],
  measured: Limits['measured'],
  earlier: Limits | undefined,
): Limits {
  const margin = measured.isQuick ? MARGIN.quick : MARGIN.full;
  const names = new Set(reports.map(({ name }) => name));
  const others = Object.entries(earlier?.ratios ?? {}).filter(
    ([key]) => !names.has(key.split(' | ')[0] ?? ''),
  );
  const fresh = reports.flatMap(ratiosOf).map((ratio) => {
    const goal = earlier?.ratios[ratio.key]?.goal;
    return [ratio.key, { ...boundOf(ratio, margin), ...(goal !== undefined && { goal }) }] as const;
  });
  return {
    measured,
    rule: `A value is the median of the ratios of all rounds. Ours may take ${margin} times the value, and a peer must take at least the value divided by ${margin}: the machine is shared.`,
    ratios: Object.fromEntries([...others, ...fresh]),
  };
}

function boundOf({ value, isOurs }: Ratio, margin: number): Limit {
  const rounded = (bound: number): number => Number(bound.toPrecision(3));
  return isOurs ? { value, atMost: rounded(value * margin) } : { value, atLeast: rounded(value / margin) };
}
