/** Owns the port to where a run works: who opens worktree and sandbox, what becomes of the branch at the end, and who leaves. */
import type { PreparedRun } from '../prepare-run.ts';
import type { RunContext, WorkingContext } from '../run-context.ts';
import type { Settled } from '../settle-run.ts';
import type { Workspace } from './workspace.ts';

/** Where runs work. One that outlives its runs takes several, one after the other or at once. */
export interface RunPlace {
  open(context: RunContext, prepared: PreparedRun): Promise<Workspace>;
  /** Settles the branch of a run that succeeded, after its workspace was closed. */
  settle(context: WorkingContext): Promise<Settled>;
  /** Is called last, whatever became of the run. */
  leave(workspace: Workspace): Promise<void>;
}
