/** Owns a session on the terminal in a worktree, in a sandbox that is started for it. */
import { toAgentProvider } from './agents/line-agent.ts';
import type { Worktree } from './git/worktree.ts';
import { interactInside } from './interact-inside.ts';
import { admitAgents } from './places/admit-agents.ts';
import { openSandbox } from './places/open-sandbox.ts';
import { assertAgentProvider, assertHooks, assertSandboxProvider } from './places/place-options.ts';
import { resolveEnvironment } from './run-environment.ts';
import type { Timeouts } from './run-options.ts';
import { noSandbox } from './sandboxes/no-sandbox.ts';
import { settleSuccess } from './settle-run.ts';
import type { InteractiveResult, WorktreeInteractiveOptions } from './worktree-options.ts';

/** A session in a worktree. */
export interface InteractAroundOptions extends WorktreeInteractiveOptions {
  readonly worktree: Worktree;
  readonly timeouts: Required<Timeouts>;
  readonly warn: (message: string) => void;
  /** True when the worktree outlives the session, and its branch with it. */
  readonly keepsWorktree: boolean;
}

/**
 * Refuses a session that cannot work.
 *
 * @throws UsageError
 */
export function assertInteractiveOptions({ agent, sandbox, hooks }: WorktreeInteractiveOptions): void {
  assertAgentProvider(agent);
  if (sandbox !== undefined) assertSandboxProvider(sandbox);
  assertHooks(hooks);
}

/** Starts the sandbox, hands the terminal to the agent, closes the sandbox, and settles the branch. */
export async function interactAround(options: InteractAroundOptions): Promise<InteractiveResult> {
  assertInteractiveOptions(options);
  const { sandbox = noSandbox(), worktree, timeouts, warn, hooks, env, keepsWorktree } = options;
  const agent = toAgentProvider(options.agent);
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const environment = await resolveEnvironment({ sandbox, agent, env }, worktree.repository.topLevel);
  const admitted = await admitAgents([agent], sandbox, environment.host);
  const isOnHost = sandbox.tag === 'none';
  const setup = { options: { branchStrategy: worktree.strategy, hooks, timeouts, sandbox }, signal, warn };
  const opened = await openSandbox(setup, {
    worktree,
    env: isOnHost ? environment.inside : { ...agent.sandboxEnv, ...environment.inside },
    ...admitted,
    hasFinalizerFolder: false,
  });
  try {
    const { commits, branch, preservedWorktreePath, exitCode } = await interactInside({
      ...options,
      agent,
      opened,
      agentEnv: {},
      isOnHost,
      signal,
      async settle(context) {
        await opened.handle.close();
        return settleSuccess(context, { keepsBranch: keepsWorktree, keepsWorktree });
      },
    });
    return {
      commits,
      branch,
      exitCode,
      ...(preservedWorktreePath !== undefined && { preservedWorktreePath }),
    };
  } finally {
    await opened.handle.close();
  }
}
