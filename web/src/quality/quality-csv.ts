/** Buckets of the quality report as CSV. Pure. */
import type { QualityView } from '@truecast/client/internal/wire/quality';
import { csvText } from '../parts/csv.ts';

/** One line per bucket and group, and those of all answers first. */
export function qualityCsv({ by, buckets }: QualityView): string {
  const sorted = [
    ...buckets.filter(({ key }) => key === undefined),
    ...buckets.filter(({ key }) => key !== undefined),
  ];
  const lines = sorted.map(({ start, key = 'all answers', answers, first_try, valid }) => [
    start,
    key,
    answers,
    first_try,
    valid,
  ]);
  return csvText([['start', by, 'answers', 'first_try', 'valid'], ...lines]);
}
