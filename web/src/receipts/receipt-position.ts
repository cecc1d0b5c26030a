/** Position of a receipt in a list: the cursor that the server gives for the rows after it. Pure. */
import type { Receipt } from '@truecast/client';
import { toMicroUsd } from '@truecast/server/internal/contract/micro-usd';
import type { ListSort } from '@truecast/server/internal/contract/run-archive';
import { cursorOf, SORT_COLUMNS } from '@truecast/server/internal/state/lists/list-cursor';

/** The members that order a list. */
type OrderedReceipt = Pick<
  Receipt,
  'request_id' | 'created_at' | 'ended_at' | 'duration_ms' | 'usage' | 'attempts'
>;

/** Returns the cursor. Undefined if the list does not have the receipt, such as one without a cost by cost. */
export function positionOf(receipt: OrderedReceipt, sort: ListSort = 'created'): string | undefined {
  const { request_id: id, created_at: at, ended_at: end, duration_ms: ms = null, attempts } = receipt;
  const cost = receipt.usage?.cost_usd;
  const row = {
    id,
    created_at: at === undefined ? null : Date.parse(at),
    // The list has them from the end of a request on.
    attempt_count: end === undefined ? null : attempts.length,
    duration_ms: ms,
    cost_micro_usd: cost === undefined ? null : toMicroUsd(cost),
  };
  const column = SORT_COLUMNS[sort];
  return row[column] === null ? undefined : cursorOf(row, column);
}
