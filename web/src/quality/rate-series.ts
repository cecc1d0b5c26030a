/** Looks of the lines of groups: each colour has its own dash. */

/** Look of a line. */
export interface Series {
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
