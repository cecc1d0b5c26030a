/** Creates the configured coding agents. */
import type { AgentRunner } from '../agents/agent-runner.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { makeSandbox } from './workspaces.ts';

const DEFAULT_TIMEOUT_SECONDS = 3_600;

/**
 * Creates the runner. Undefined if no agents are configured.
 *
 * @throws UsageError for an unknown agent
 */
export async function openAgents({ agents }: ServerConfig): Promise<AgentRunner | undefined> {
  if (agents === undefined) return undefined;
  const { names, sandbox, repository, egress, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = agents;
  const { agentRunner } = await import('./agent-runner.ts');
  return agentRunner({
    agents: names,
    sandbox: await makeSandbox(sandbox, egress === undefined ? {} : { egress }),
    timeouts: { runMs: timeoutSeconds * 1000 },
    ...(repository !== undefined && { cwd: repository }),
  });
}
