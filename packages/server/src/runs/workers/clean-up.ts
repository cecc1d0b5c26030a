/** Clean-up of a worker's machine: what ended runs left there, some runs at a time. */
import type { RemovedRemains } from '../../contract/observed-work.ts';
import type { AgentExecutor, LeftRun } from '../agent-executor.ts';
import { isDue } from '../decide-clean-up.ts';
import type { RunMachine } from '../state/run-machine.ts';

export interface CleanUpOptions {
  readonly machine: Pick<RunMachine, 'cleanableRuns' | 'readBlob' | 'auditCleanUp'>;
  readonly executor: Pick<AgentExecutor, 'remains'>;
  /** Time after its end for which this machine keeps what no remote and no artifact has. */
  readonly keepMs: number;
  readonly isClosing: () => boolean;
  readonly onCleanUp: (removed: RemovedRemains) => void;
  /** Called with a run that could not be cleaned up. */
  readonly onFault: (message: string, cause: unknown) => void;
}

/** Runs of one pass. The next pass continues after them. */
const MOST_RUNS = 50;

/**
 * Looks at some runs, and removes what can be removed of them. A run that the database does not have keeps everything:
 * a lost or another database says nothing about it.
 *
 * @returns true if there can be more to remove now
 * @throws the error of the database. Nothing is removed then
 */
export async function cleanUpRuns(options: CleanUpOptions): Promise<boolean> {
  const { machine, executor, keepMs, isClosing, onCleanUp, onFault } = options;
  const left = (await executor.remains?.next(MOST_RUNS)) ?? [];
  const known = await machine.cleanableRuns(left.map(({ id }) => id));
  let total: RemovedRemains = { worktrees: 0, references: 0, logs: 0 };
  for (const run of left) {
    const facts = known.get(run.id);
    if (facts === undefined || !isDue(facts, { keepMs })) continue;
    if (isClosing()) break;
    try {
      total = sum(total, await cleanUpOne(options, run, facts.owner));
    } catch (cause) {
      onFault(`What the run ${run.id} left on this machine could not be removed. It is tried again.`, cause);
    }
  }
  const isSome = total.worktrees + total.references + total.logs > 0;
  if (isSome) {
    onCleanUp(total);
    await machine.auditCleanUp(total);
  }
  return isSome && left.length === MOST_RUNS;
}

function cleanUpOne(
  { machine, keepMs }: CleanUpOptions,
  run: LeftRun,
  owner: string,
): Promise<RemovedRemains | undefined> {
  const { id: runId } = run;
  return run.cleanUp({
    keepMs,
    readRun: async () => (await machine.cleanableRuns([runId])).get(runId),
    readPatch: async () => {
      const blob = await machine.readBlob({ owner, runId, name: 'uncommitted.patch' }).catch(() => undefined);
      return blob?.omittedBytes === undefined ? blob?.bytes : undefined;
    },
  });
}

function sum(one: RemovedRemains, other: RemovedRemains | undefined): RemovedRemains {
  if (other === undefined) return one;
  return {
    worktrees: one.worktrees + other.worktrees,
    references: one.references + other.references,
    logs: one.logs + other.logs,
  };
}
