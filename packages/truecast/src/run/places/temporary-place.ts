/** Place of a single run: its own worktree and sandbox, opened and closed with the run. */
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import { dependsOnCheckout, type ConfigEntry } from '../../git/command/config-entries.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { prepareReads } from '../settle/early-reads.ts';
import { discardWork, NO_WORK } from '../settle/discard-work.ts';
import { discardWorktree, settleSuccess } from '../settle/settle-run.ts';
import { enterSandbox } from './enter-sandbox.ts';
import { closeSandbox, openSandbox } from './open-sandbox.ts';
import { listEarly } from './opening-steps.ts';
import type { References } from './start-sandbox.ts';
import { shownReferences } from '../../guest-git/store/lay-out-store.ts';
import { recoverGuests } from './recover-guests.ts';
import { abandonWorktree, openWorktree } from './open-worktree.ts';
import type { RunPlace } from './run-place.ts';
import { gitCallOf, type RunContext } from '../context/run-context.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';

/** The place of `run()`. */
export const TEMPORARY_PLACE: RunPlace = {
  isTemporary: true,
  async open(context, prepared) {
    const { agent, sandbox, continues } = context.options;
    const { repository, environment, egress, modelAccess } = prepared;
    const hasRecovered = await recoverGuests({ ...context, repository, sandbox });
    const references = referencesBeforeWorktree(repository, context, hasRecovered);
    const worktree = await openWorktree(context, {
      repository,
      command: `${agent.name} in ${sandbox.name}`,
      continues,
    });
    const reads = prepareReads(context.options, worktree);
    try {
      const opened = await openSandbox(context, {
        sandbox,
        worktree,
        env: sandbox.tag === 'none' ? environment.inside : { ...agent.sandboxEnv, ...environment.inside },
        readonlyPaths: prepared.readonlyPaths,
        egress,
        modelAccess,
        hasFinalizerFolder: context.options.usesServer,
        knownConfig: await knownConfig(repository, context),
        references: withOwnBranch(references, worktree),
        tipReads: reads.commands,
      });
      try {
        const workspace = await enterSandbox(context, opened, {
          agentEnv: {},
          closesSandbox: true,
          onTip: reads.keep,
        });
        return { ...workspace, reads };
      } catch (error) {
        await closeSandbox(opened);
        throw error;
      }
    } catch (error) {
      await abandonWorktree(context, worktree);
      throw error;
    }
  },
  async settle(context, known) {
    if (!context.options.isThrownAway) {
      return settleSuccess(context, { ...known, keepsBranch: false, keepsWorktree: false });
    }
    await discardWork(context);
    return NO_WORK;
  },
  async discard(context) {
    const { options, workspace } = context;
    if (!options.isThrownAway) return discardWorktree(workspace.worktree, options.timeouts);
    await discardWork(context);
    return true;
  },
  async leave({ worktree }) {
    await worktree.lock.release();
  },
};

/**
 * Returns the configuration that was read at the start. Undefined if a hook on the host can have
 * changed it, or if the checkout can have its own.
 */
async function knownConfig(
  repository: Repository,
  { options }: RunContext,
): Promise<readonly ConfigEntry[] | undefined> {
  const hasHostHook = (options.hooks?.host?.onWorktreeReady ?? []).length > 0;
  if (options.sandbox.tag === 'none' || hasHostHook) return undefined;
  const entries = await repository.configEntries();
  return dependsOnCheckout(entries) ? undefined : entries;
}

/**
 * Returns the references that were read with the repository, or lists them while git creates the
 * worktree. Undefined if they can still change: a hook on the host can move any reference, and an
 * existing branch can be updated from its remote.
 */
function referencesBeforeWorktree(
  repository: Repository,
  context: RunContext,
  hasRecovered: boolean,
): References | undefined {
  const { sandbox, branchStrategy, hooks } = context.options;
  const hasOwnGit = sandbox.tag === 'bind-mount' && sandbox.hasOwnGit === true;
  const hasHostHook = (hooks?.host?.onWorktreeReady ?? []).length > 0;
  if (!hasOwnGit || hasHostHook || hasOwnName(branchStrategy)) return undefined;
  if (!hasRecovered && repository.references !== undefined) {
    return Promise.resolve(shownReferences(repository.references));
  }
  // The recovery can have moved the branch of the checkout itself.
  if (branchStrategy.type === 'head') return undefined;
  return listEarly(gitCallOf(context), { ...repository, path: repository.topLevel });
}

/** Returns true for a branch that can exist already. */
function hasOwnName(strategy: BranchStrategy): boolean {
  return strategy.type !== 'head' && strategy.branch !== undefined;
}

/** Adds the run's branch, which can have been created in the meantime. */
function withOwnBranch(
  references: References | undefined,
  { branch, baseSha }: LockedWorktree,
): References | undefined {
  if (references === undefined || branch === undefined) return references;
  const complete = references.then((listed) => new Map(listed).set(`refs/heads/${branch}`, baseSha));
  complete.catch(() => undefined);
  return complete;
}
