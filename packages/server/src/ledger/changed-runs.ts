/** Reader of ensemble runs that started or ended since a time. */
import type { EnsembleRunView } from '@truecast/client/internal/wire/ensemble';
import type { StateDb } from '../state/rows/machine-context.ts';
import { readEnsembleRuns } from './read-ledger.ts';

/** Runs in their current state. */
export interface ChangedEnsembleRuns {
  /** Oldest change first. */
  readonly runs: readonly EnsembleRunView[];
  /** True if older changes might be missing. */
  readonly isCut: boolean;
}

/** Maximum number of starts, and of ends, that are read. Each is one step in an index. */
const MAX_CHANGES = 100;

/** Reads the changes. Their times come from the clocks of the processes that played the runs. */
export async function changedEnsembleRuns(db: StateDb, sinceMs: number): Promise<ChangedEnsembleRuns> {
  const changed = [await newest(db, 'run.started', sinceMs), await newest(db, 'run.finished', sinceMs)];
  const runs = await readEnsembleRuns(db, [...new Set(changed.flat())]);
  return {
    runs: runs.toSorted((one, other) => (changedAt(one) < changedAt(other) ? -1 : 1)),
    isCut: changed.some((runIds) => runIds.length === MAX_CHANGES),
  };
}

/** Returns the time of the last change of a run. */
export function changedAt({ started_at, ended_at = started_at }: EnsembleRunView): string {
  return ended_at;
}

/**
 * Reads the newest events of a kind. Their offsets are nearly in the order of their times, so older
 * rows need not be read.
 */
async function newest(db: StateDb, kind: string, sinceMs: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('events')
    .select(['run_id', 'created_at'])
    .where('kind', '=', kind)
    .orderBy('offset', 'desc')
    .limit(MAX_CHANGES)
    .execute();
  return rows.filter(({ created_at }) => Date.parse(created_at) >= sinceMs).map(({ run_id }) => run_id);
}
