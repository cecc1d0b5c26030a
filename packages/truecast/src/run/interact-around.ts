/** Terminal session in a worktree, in a sandbox that is started for it. */
import { toStreamAgent } from '../agents/stream/line-agent.ts';
import type { LockedWorktree } from '../git/worktree/worktree.ts';
import { interactInside } from './interact-inside.ts';
import { admitAgents } from './places/admit-agents.ts';
import { openSandbox } from './places/open-sandbox.ts';
import { assertAgentProvider, assertHooks, assertSandboxProvider } from './options/place-options.ts';
import { assertEnv } from '../support/assert-env.ts';
import { resolveEnvironment } from './prepare/run-environment.ts';
import type { PlaceContext } from './context/run-context.ts';
import { noSandbox } from '../sandboxes/no-sandbox.ts';
import { settleSuccess } from './settle/settle-run.ts';
import { mergeCheckOf } from './verify/merge-check.ts';
import type { InteractiveResult, WorktreeInteractiveOptions } from './options/worktree-options.ts';

export interface InteractAroundOptions extends WorktreeInteractiveOptions {
  readonly worktree: LockedWorktree;
  /** How the worktree was opened. */
  readonly context: Pick<PlaceContext, 'options' | 'warn'>;
  /** True if the worktree and its branch outlive the session. */
  readonly keepsWorktree: boolean;
}

/**
 * Rejects an invalid session.
 *
 * @throws UsageError
 */
export function assertInteractiveOptions({ agent, sandbox, hooks, env }: WorktreeInteractiveOptions): void {
  assertEnv('env', env);
  assertAgentProvider(agent);
  if (sandbox !== undefined) assertSandboxProvider(sandbox);
  assertHooks(hooks);
}

/**
 * Starts the sandbox, hands the terminal to the agent, closes the sandbox, and settles the branch.
 */
export async function interactAround(options: InteractAroundOptions): Promise<InteractiveResult> {
  assertInteractiveOptions(options);
  const {
    sandbox = noSandbox(),
    worktree,
    context: { warn, options: settings },
    hooks,
    env,
    keepsWorktree,
  } = options;
  const agent = toStreamAgent(options.agent);
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const environment = await resolveEnvironment({ sandbox, agent, env }, worktree.repository);
  environment.warnings.forEach(warn);
  const admitted = await admitAgents([agent], sandbox, environment.host);
  const isOnHost = sandbox.tag === 'none';
  const context: PlaceContext = {
    options: {
      branchStrategy: worktree.strategy,
      hooks,
      timeouts: settings.timeouts,
      sensitiveChanges: settings.sensitiveChanges,
      editablePaths: worktree.strategy.type === 'head' ? worktree.strategy.editablePaths : undefined,
    },
    signal,
    warn,
  };
  const opened = await openSandbox(context, {
    sandbox,
    worktree,
    env: isOnHost ? environment.inside : { ...agent.sandboxEnv, ...environment.inside },
    ...admitted,
    hasFinalizerFolder: false,
  });
  try {
    const { preservedWorktreePath, ...ended } = await interactInside({
      ...options,
      agent,
      opened,
      agentEnv: {},
      isOnHost,
      context,
      async settle(settling) {
        await opened.handle.close();
        const mergeCheck = mergeCheckOf({ ...settling, branchStrategy: worktree.strategy });
        return settleSuccess(settling, { keepsBranch: keepsWorktree, keepsWorktree, mergeCheck });
      },
    });
    return {
      ...ended,
      ...(preservedWorktreePath !== undefined && { preservedWorktreePath }),
    };
  } finally {
    await opened.handle.close();
  }
}
