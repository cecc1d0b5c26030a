/** Quality report as CSV. Pure. */
import type { QualityView } from '@truecast/client/internal/wire/quality';
import { csvText } from '../parts/csv.ts';

/** `start` of the lines that count the whole time. */
const WHOLE = 'whole time';
const ALL = 'all answers';

/**
 * One line for all answers and for each group over the whole time. Then one line per bucket and group,
 * those of all answers first. Buckets of a group have no times.
 */
export function qualityCsv({ by, totals, rows, buckets }: QualityView): string {
  const whole = [{ ...totals, key: ALL }, ...rows].map((row) => ({ ...row, start: WHOLE }));
  const sorted = [
    ...buckets.filter(({ key }) => key === undefined),
    ...buckets.filter(({ key }) => key !== undefined),
  ];
  const lines = [
    ...whole.map(({ key = 'not recorded', ...row }) => ({ ...row, key })),
    ...sorted.map(({ key = ALL, ...bucket }) => ({ ...bucket, key })),
  ].map(({ start, key, answers, first_try, valid, p50_ms, p95_ms }) => [
    start,
    key,
    answers,
    first_try,
    valid,
    p50_ms,
    p95_ms,
  ]);
  return csvText([['start', by, 'answers', 'first_try', 'valid', 'p50_ms', 'p95_ms'], ...lines]);
}
