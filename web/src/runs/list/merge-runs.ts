/** One list of both kinds of runs, the newest first. Pure. */
import type { AgentRunView } from '@truecast/client/internal/wire/runs/agent-run';
import type { KeptRunView } from '@truecast/client/internal/wire/kept-run';
import { rowOfDurable, rowOfKept, type RunRow } from '../model/shown-run.ts';

/** The pages of one kind that were read, the newest run first. */
interface Read<Run> {
  readonly runs: readonly Run[];
  readonly hasMore: boolean;
}

/** A branch that only a durable run has. */
const OWN_BRANCH = /^truecast\/runs\/[\da-f-]{36}$/u;

/**
 * Returns the rows. A kind with unread pages has gaps below its oldest run, so older runs of the other kind
 * wait until these pages are read. A durable run of this repository is kept too, and is shown once.
 */
export function mergeRuns(
  kept: Read<KeptRunView>,
  durable: Read<AgentRunView>,
  nowMs: number,
): readonly RunRow[] {
  const others = kept.runs.filter((run) => !isDurable(run, durable.runs));
  const rows = [...others.map(rowOfKept), ...durable.runs.map((run) => rowOfDurable(run, nowMs))];
  const from = [
    kept.hasMore ? kept.runs.at(-1)?.started_at : undefined,
    durable.hasMore ? durable.runs.at(-1)?.created_at : undefined,
  ]
    .filter((at) => at !== undefined)
    .toSorted()
    .at(-1);
  return rows
    .filter(({ at }) => from === undefined || at >= from)
    .toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

function isDurable({ branch, started_at: at }: KeptRunView, durable: readonly AgentRunView[]): boolean {
  if (branch === undefined) return false;
  if (OWN_BRANCH.test(branch)) return true;
  return durable.some(
    (run) =>
      run.branch === branch &&
      run.started_at !== undefined &&
      run.started_at <= at &&
      (run.ended_at === undefined || at <= run.ended_at),
  );
}
