/** Pages of kept runs in the order of a number. Pure. */
import type { KeptRunView, RunPageView } from '@truecast/client/internal/wire/kept-run';
import { toMicroUsd } from '../../contract/micro-usd.ts';
import type { ListSort, RunListQuery } from '../../contract/run-archive.ts';
import { splitCursor } from '../../state/lists/cursors.ts';

type Order = Pick<RunListQuery, 'limit' | 'direction'> & {
  readonly after: string | undefined;
  readonly sort: Exclude<ListSort, 'created'>;
};

/** A run at its place: the number, and the id among equal numbers. */
interface Placed {
  readonly value: number;
  readonly id: string;
}

const NUMBERS: Readonly<Record<Order['sort'], (run: KeptRunView) => number | undefined>> = {
  attempts: ({ attempts }) => attempts.length || undefined,
  duration: ({ duration_ms: ms }) => Math.round(ms),
  cost: ({ usage }) => (usage?.cost_usd === undefined ? undefined : toMicroUsd(usage.cost_usd)),
};

/** Returns a page. A live run, whose numbers grow, and one without the number are left out, as in the other lists. */
export function orderedPage(
  runs: readonly KeptRunView[],
  { limit, after, sort, direction }: Order,
): RunPageView {
  const sign = direction === 'asc' ? 1 : -1;
  const order = (one: Placed, other: Placed): number =>
    sign * (one.value - other.value || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
  const begin = after === undefined ? undefined : placeOf(after);
  const placed = runs
    .flatMap((run) => {
      const value = run.status === 'live' ? undefined : NUMBERS[sort](run);
      return value === undefined ? [] : [{ value, id: run.id, run }];
    })
    .filter((each) => begin === undefined || order(each, begin) > 0)
    .toSorted(order);
  const page = placed.slice(0, limit);
  const last = page.at(-1);
  const hasMore = placed.length > limit && last !== undefined;
  return { runs: page.map(({ run }) => run), ...(hasMore && { next: `${last.value}.${last.id}` }) };
}

/** A cursor of the order by time has no number. It begins at the first page. */
function placeOf(cursor: string): Placed | undefined {
  const { at, id } = splitCursor(cursor);
  return id === '' ? undefined : { value: at, id };
}
