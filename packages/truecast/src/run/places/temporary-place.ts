/** Place of a single run: its own worktree and sandbox, opened and closed with the run. */
import { dependsOnCheckout, type ConfigEntry } from '../../git/command/config-entries.ts';
import type { Repository } from '../../git/repository/repository.ts';
import type { RunContext } from '../context/run-context.ts';
import { discardWorktree, settleSuccess } from '../settle/settle-run.ts';
import { enterSandbox } from './enter-sandbox.ts';
import { closeSandbox, openSandbox } from './open-sandbox.ts';
import { recoverGuests } from './recover-guests.ts';
import { abandonWorktree, openWorktree } from './open-worktree.ts';
import type { RunPlace } from './run-place.ts';
import type { SandboxSetupContext } from '../context/setup-context.ts';

/** The place of `run()`. */
export const TEMPORARY_PLACE: RunPlace = {
  async open(context, prepared) {
    const { agent, sandbox } = context.options;
    const { repository, environment, egress, modelAccess } = prepared;
    const setup = setupOf(context);
    await recoverGuests({ ...setup, repository, sandbox });
    const worktree = await openWorktree(setup, { repository, command: `${agent.name} in ${sandbox.name}` });
    try {
      const opened = await openSandbox(setup, {
        worktree,
        env: sandbox.tag === 'none' ? environment.inside : { ...agent.sandboxEnv, ...environment.inside },
        readonlyPaths: prepared.readonlyPaths,
        egress,
        modelAccess,
        hasFinalizerFolder: context.options.route === 'mcp',
        knownConfig: await knownConfig(repository, context),
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
  discard: ({ options, workspace: { worktree } }) => discardWorktree(worktree, options.timeouts),
  leave: ({ worktree }) => worktree.lock.release(),
};

/** Returns the configuration that was read at the start. A hook on the host can have changed it, and a checkout can have its own. */
async function knownConfig(
  repository: Repository,
  { options }: RunContext,
): Promise<readonly ConfigEntry[] | undefined> {
  const hasHostHook = (options.hooks?.host?.onWorktreeReady ?? []).length > 0;
  if (options.sandbox.tag === 'none' || hasHostHook) return undefined;
  const entries = await repository.configEntries();
  return dependsOnCheckout(entries) ? undefined : entries;
}

/** Run fields that opening a place needs. */
function setupOf({ options, stop, warn }: RunContext): SandboxSetupContext {
  return { options, signal: stop.signal, warn };
}
