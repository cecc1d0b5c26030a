/**
 * Port to the place of a run: opens worktree and sandbox, settles the branch at the end, and
 * releases the place.
 */
import type { PreparedRun } from '../prepare/prepare-run.ts';
import type { RunContext, WorkingContext } from '../context/run-context.ts';
import type { KnownOfWork } from '../settle/land-branch.ts';
import type { Settled } from '../settle/settle-run.ts';
import type { RunWorkspace } from '../context/workspace.ts';

/**
 * Place where runs work. A place that outlives its runs accepts several runs, sequentially or in
 * parallel.
 */
export interface RunPlace {
  /** True if all work here is thrown away when the place is closed. @default that of the run */
  readonly isThrownAway?: boolean;
  /** True for a place of one run, which a run with an `id` needs. @default false */
  readonly isTemporary?: boolean;
  open(context: RunContext, prepared: PreparedRun): Promise<RunWorkspace>;
  /** Settles the branch of a successful run after its workspace was closed. */
  settle(context: WorkingContext, known: KnownOfWork): Promise<Settled>;
  /**
   * Removes the place of a failed run if it contains no work. Returns false if something was kept.
   */
  discard?(context: WorkingContext): Promise<boolean>;
  /** Called last, whatever the result of the run. */
  leave(workspace: RunWorkspace): Promise<void>;
}
