/** Place of a verification outside of a run: how a sandbox is started for commits of an agent. */
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import type { Repository } from '../../git/repository/repository.ts';
import type { SandboxOpening } from '../context/workspace.ts';
import type { SandboxHooks } from '../options/hooks.ts';
import { completeTimeouts } from '../options/place-options.ts';
import type { Timeouts } from '../options/run-bounds.ts';
import { resolveEnvironment } from '../prepare/run-environment.ts';
import { admitAgents } from '../places/admit-agents.ts';
import { DEFAULT_SENSITIVE_CHANGES_POLICY } from '../review/sensitive-changes-policy.ts';

export interface VerificationPlaceOptions {
  readonly repository: Repository;
  readonly sandbox: SandboxProvider;
  /** The agent whose commits are verified. It decides what the sandbox can reach. @default none */
  readonly agent?: AgentProvider;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly hooks?: SandboxHooks | undefined;
  readonly timeouts?: Timeouts;
}

/**
 * Returns the opening of a sandbox like the one of a run with this agent.
 *
 * @throws UsageError, RepositoryError as at the start of a run
 */
export async function verificationPlace(options: VerificationPlaceOptions): Promise<SandboxOpening> {
  const { repository, sandbox, agent, env, hooks, timeouts } = options;
  const sources = { sandbox, env, ...(agent !== undefined && { agent }) };
  const { inside, host } = await resolveEnvironment(sources, repository);
  const admitted = await admitAgents(agent === undefined ? [] : [agent], sandbox, host);
  return {
    ...admitted,
    sandbox,
    env: sandbox.tag === 'none' ? inside : { ...agent?.sandboxEnv, ...inside },
    settings: {
      branchStrategy: { type: 'head' },
      hooks,
      timeouts: completeTimeouts(timeouts),
      sensitiveChanges: DEFAULT_SENSITIVE_CHANGES_POLICY,
    },
  };
}
