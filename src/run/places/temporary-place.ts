/** Owns the place of a single run: its own worktree and sandbox, opened for it and left with it. */
import type { RunContext } from '../run-context.ts';
import { settleSuccess } from '../settle-run.ts';
import { enterSandbox } from './enter-sandbox.ts';
import { closeSandbox, openSandbox } from './open-sandbox.ts';
import { abandonWorktree, openWorktree } from './open-worktree.ts';
import type { RunPlace } from './run-place.ts';
import type { SandboxSetupContext } from './setup-context.ts';

/** The place of `run()`. */
export const TEMPORARY_PLACE: RunPlace = {
  async open(context, prepared) {
    const { agent, sandbox } = context.options;
    const { repository, environment, modelAccess } = prepared;
    const setup = setupOf(context);
    const worktree = await openWorktree(setup, { repository, command: `${agent.name} in ${sandbox.name}` });
    try {
      const opened = await openSandbox(setup, {
        worktree,
        env: sandbox.tag === 'none' ? environment.inside : { ...agent.sandboxEnv, ...environment.inside },
        readonlyPaths: prepared.readonlyPaths,
        modelAccess,
        hasFinalizerFolder: context.options.route === 'mcp',
      });
      try {
        return await enterSandbox(context, opened, { agentEnv: {}, closesSandbox: true });
      } catch (error) {
        await closeSandbox(opened);
        throw error;
      }
    } catch (error) {
      await abandonWorktree(setup, worktree);
      throw error;
    }
  },
  settle: (context) => settleSuccess(context, { keepsBranch: false, keepsWorktree: false }),
  leave: ({ worktree }) => worktree.lock.release(),
};

/** What opening a place needs of a run. */
function setupOf({ options, stop, warn }: RunContext): SandboxSetupContext {
  return { options, signal: stop.signal, warn };
}
