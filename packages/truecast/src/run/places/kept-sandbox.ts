/**
 * Started sandbox that outlives its runs. Each run enters it, works in its worktree, and leaves it
 * open.
 */
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import { NO_WORK, verifyDiscarded } from '../settle/discard-work.ts';
import { settleSuccess } from '../settle/settle-run.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import { assertDecidedFor } from '../options/decide-egress.ts';
import { admitAgents, assertProgramInside } from './admit-agents.ts';
import { enterSandbox } from './enter-sandbox.ts';
import { seenByRun } from './kept-worktree.ts';
import { openSandbox, syncOut, type OpenSandbox } from './open-sandbox.ts';
import type { PlaceSandboxOptions } from '../options/place-options.ts';
import { resolveEnvironment } from '../prepare/run-environment.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import type { RunPlace } from './run-place.ts';
import { gitCallOf, type PlaceContext } from '../context/run-context.ts';

/** An open sandbox and the agents that can work in it. */
export interface KeptSandbox extends OpenSandbox {
  readonly sandbox: SandboxProvider;
  readonly agents: readonly AgentProvider[];
}

/** Starts a sandbox around a worktree for later runs. */
export async function openKeptSandbox(
  context: PlaceContext,
  worktree: LockedWorktree,
  { sandbox, agents = [], env }: PlaceSandboxOptions,
): Promise<KeptSandbox> {
  const environment = await resolveEnvironment({ sandbox, env }, worktree.repository);
  environment.warnings.forEach(context.warn);
  const admitted = await admitAgents(agents, sandbox, environment.host);
  const opened = await openSandbox(context, {
    sandbox,
    worktree,
    env: environment.inside,
    ...admitted,
    // The needs of later runs are not known yet, and nothing can be mounted later.
    hasFinalizerFolder: true,
  });
  return { ...opened, sandbox, agents };
}

/** Environment of an agent's commands, besides the sandbox's environment. */
export function agentEnvIn(
  sandbox: SandboxProvider,
  agent: AgentProvider,
  env: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return { ...(sandbox.tag !== 'none' && agent.sandboxEnv), ...agent.env, ...env };
}

export function keptSandboxPlace(kept: KeptSandbox): RunPlace {
  const seen = new Set(kept.agents.map(({ name }) => name));
  const admit = async ({ agent }: NormalizedRunOptions, signal: AbortSignal): Promise<void> => {
    if (seen.has(agent.name) || kept.sandbox.tag === 'none') return;
    assertDecidedFor(agent, kept.sandbox, kept.agents);
    await assertProgramInside(agent, kept.handle, signal);
    seen.add(agent.name);
  };
  const isThrownAway = kept.opening.settings.isThrownAway === true;
  return {
    isThrownAway,
    async open(context, { repository }) {
      const { options, signal } = context;
      await admit(options, signal);
      // Changes inside since the last run do not belong to this run.
      if (!isThrownAway) await syncOut(kept.handle, { warn: context.warn });
      const worktree = await seenByRun(kept.worktree, repository, gitCallOf(context));
      const agentEnv = agentEnvIn(kept.sandbox, options.agent, options.env);
      return enterSandbox(context, { ...kept, worktree }, { agentEnv, closesSandbox: false });
    },
    async settle(context, known) {
      if (!isThrownAway) {
        return settleSuccess(context, { ...known, keepsBranch: true, keepsWorktree: true });
      }
      await verifyDiscarded(context);
      return NO_WORK;
    },
    leave: () => Promise.resolve(),
  };
}
