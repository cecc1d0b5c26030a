/** Owns making the coding agents that the configuration names. */
import type { AgentRunner } from '../server/agents/agent-runner.ts';
import type { ServerConfig } from '../server/config/server-config.ts';
import { makeSandbox } from './workspaces.ts';

const DEFAULT_TIMEOUT_SECONDS = 3_600;

/**
 * Makes the runner; undefined where the configuration names no agents.
 *
 * @throws UsageError for an agent that is not known
 */
export async function openAgents({ agents }: ServerConfig): Promise<AgentRunner | undefined> {
  if (agents === undefined) return undefined;
  const { names, sandbox, repository, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = agents;
  const { agentRunner } = await import('./agent-runner.ts');
  return agentRunner({
    agents: names,
    sandbox: await makeSandbox(sandbox, {}),
    timeoutSeconds,
    ...(repository !== undefined && { cwd: repository }),
  });
}
