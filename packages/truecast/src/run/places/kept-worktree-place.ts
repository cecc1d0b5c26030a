/** Place for runs in a kept worktree: a new sandbox for each run, around the same files. */
import { settleSuccess } from '../settle/settle-run.ts';
import { gitCallOf } from '../context/run-context.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { enterSandbox } from './enter-sandbox.ts';
import { seenByRun } from './kept-worktree.ts';
import { closeSandbox, openSandbox } from './open-sandbox.ts';
import type { RunPlace } from './run-place.ts';

/** Creates the place for runs in a kept worktree. */
export function keptWorktreePlace(kept: LockedWorktree): RunPlace {
  return {
    async open(context, { repository, environment, readonlyPaths, egress, modelAccess }) {
      const { agent, sandbox, mode } = context.options;
      const worktree = await seenByRun(kept, repository, gitCallOf(context));
      const env =
        sandbox.tag === 'none' ? environment.inside : { ...agent.sandboxEnv, ...environment.inside };
      const opened = await openSandbox(context, {
        sandbox,
        worktree,
        env,
        readonlyPaths,
        egress,
        modelAccess,
        hasFinalizerFolder: mode === 'mcp',
      });
      try {
        return await enterSandbox(context, opened, { agentEnv: {}, closesSandbox: true });
      } catch (error) {
        await closeSandbox(opened);
        throw error;
      }
    },
    settle: (context, known) => settleSuccess(context, { ...known, keepsBranch: true, keepsWorktree: true }),
    leave: () => Promise.resolve(),
  };
}
