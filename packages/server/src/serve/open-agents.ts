/** Creates the configured coding agents. */
import type { AgentRunner } from '../agents/agent-runner.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { makeSandbox } from './workspaces.ts';

const DEFAULT_TIMEOUT_MS = 3_600_000;

/**
 * Creates the runner. Undefined if no agents are configured.
 *
 * @throws UsageError for an unknown agent
 */
export async function openAgents({ agents }: ServerConfig): Promise<AgentRunner | undefined> {
  if (agents === undefined) return undefined;
  const { names, sandbox, repository, egress, timeoutMs = DEFAULT_TIMEOUT_MS } = agents;
  const { agentRunner } = await import('./agent-runner.ts');
  return agentRunner({
    agents: names,
    sandbox: await makeSandbox(sandbox, egress === undefined ? {} : { egress }),
    timeouts: { runMs: timeoutMs },
    ...(repository !== undefined && { cwd: repository }),
  });
}
