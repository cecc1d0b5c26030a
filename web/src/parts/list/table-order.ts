/** Order of the rows of a table. It is kept in the address. Pure. */
import type { ListSort } from '@truecast/server/internal/contract/run-archive';

/** A column by its head, and the direction. */
interface RowOrder {
  readonly head: string;
  /** True for the smallest first. */
  readonly isRising: boolean;
}

const RISING = '.rising';

/** Parses the value of the address: `cost`, or `cost.rising`. Undefined for the server's order. */
export function readOrder(text: string): RowOrder | undefined {
  if (text === '') return undefined;
  const isRising = text.endsWith(RISING);
  return { head: isRising ? text.slice(0, -RISING.length) : text, isRising };
}

/** Returns the value of the address after a press on a head: largest first, smallest first, server's order. */
export function nextOrder(order: RowOrder | undefined, head: string): string {
  if (order?.head !== head) return head;
  return order.isRising ? '' : `${head}${RISING}`;
}

/** The order as parameters of a route. */
export interface ServerOrder {
  readonly sort?: ListSort;
  readonly direction?: 'asc';
}

/** Reads the order of the address for a list that the server orders. A name that it does not have is left out. */
export function serverOrder(text: string): ServerOrder {
  const order = readOrder(text);
  const sort = order && SERVER_NAMES.get(order.head);
  return sort === undefined ? {} : { sort, ...(order?.isRising === true && { direction: 'asc' }) };
}

/** Names of the routes, by the head of the column. */
const SERVER_NAMES: ReadonlyMap<string, ListSort> = new Map([
  ['attempts', 'attempts'],
  ['time', 'duration'],
  ['cost', 'cost'],
]);

/** Returns the rows in order. Rows without a number are last, in both directions. */
export function orderRows<Row>(
  rows: readonly Row[],
  numberOf: (row: Row) => number | undefined,
  isRising: boolean,
): readonly Row[] {
  const sign = isRising ? 1 : -1;
  return rows.toSorted((one, other) => {
    const [left, right] = [numberOf(one), numberOf(other)];
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined);
    }
    return sign * (left - right);
  });
}
