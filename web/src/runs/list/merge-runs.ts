/** One list of both kinds of runs, by time or by a number. Pure. */
import type { AgentRunView } from '@truecast/client/internal/wire/runs/agent-run';
import type { KeptRunView } from '@truecast/client/internal/wire/kept-run';
import type { ServerOrder } from '../../parts/list/table-order.ts';
import { rowOfDurable, rowOfKept, type RunRow } from '../model/shown-run.ts';

/** The pages of one kind that were read, in the order of the list. */
interface Read<Run> {
  readonly runs: readonly Run[];
  readonly hasMore: boolean;
}

/** A branch that only a durable run has. */
const OWN_BRANCH = /^truecast\/runs\/[\da-f-]{36}$/u;

/**
 * Returns the rows. Both routes have the same order. A kind with unread pages has gaps after its last run, so later
 * runs of the other kind wait until these pages are read. A durable run of this repository is kept too, and is shown
 * once.
 */
export function mergeRuns(
  kept: Read<KeptRunView>,
  durable: Read<AgentRunView>,
  nowMs: number,
  order: ServerOrder = {},
): readonly RunRow[] {
  const ofKept = kept.runs.filter((run) => !isDurable(run)).map(rowOfKept);
  const ofDurable = durable.runs.map((run) => rowOfDurable(run, nowMs));
  const compare = comparison(order);
  const lastKept = kept.runs.at(-1);
  const unread = [
    kept.hasMore && lastKept !== undefined ? rowOfKept(lastKept) : undefined,
    durable.hasMore ? ofDurable.at(-1) : undefined,
  ];
  return [...ofKept, ...ofDurable]
    .filter((row) => unread.every((last) => last === undefined || compare(row, last) <= 0))
    .toSorted(compare);
}

const NUMBERS: ReadonlyMap<string, (row: RunRow) => number> = new Map([
  ['attempts', ({ attempts = 0 }: RunRow) => attempts],
  ['duration', ({ duration_ms: ms = 0 }: RunRow) => ms],
  // As exactly as the server knows it, in millionths of a dollar.
  ['cost', ({ usage }: RunRow) => Math.round((usage?.cost_usd ?? 0) * 1_000_000)],
]);

/** Compares two rows in the order of the routes. */
function comparison({ sort, direction }: ServerOrder): (one: RunRow, other: RunRow) => number {
  const numberOf = NUMBERS.get(sort ?? '') ?? (({ at }: RunRow) => Date.parse(at));
  const sign = direction === 'asc' ? 1 : -1;
  return (one, other) => sign * (numberOf(one) - numberOf(other));
}

/** True for the copy of a durable run, which that list has on one of its pages. */
function isDurable({ branch, run_id: id }: KeptRunView): boolean {
  return id !== undefined || (branch !== undefined && OWN_BRANCH.test(branch));
}
