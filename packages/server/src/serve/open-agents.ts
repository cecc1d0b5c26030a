/** Creates the configured coding agents: in this process, or as durable runs. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentRunner } from '../agents/agent-runner.ts';
import type { AgentSettings } from '../config/run-settings.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { OpenRuns } from './open-runs.ts';

const DEFAULT_TIMEOUT_MS = 3_600_000;

/**
 * Creates the runner. Undefined if no agents are configured.
 *
 * @throws UsageError for an unknown agent, or settings that exclude each other
 */
export async function openAgents(
  { agents }: Pick<ServerConfig, 'agents'>,
  runs: OpenRuns,
): Promise<AgentRunner | undefined> {
  if (agents === undefined) return undefined;
  const { names, sandbox, repository, egress, runsIn, timeoutMs = DEFAULT_TIMEOUT_MS } = agents;
  if (runsIn !== undefined) return openDurable({ ...agents, runsIn, timeoutMs }, runs);
  if (sandbox === undefined) {
    throw new UsageError(
      'Expected `agents.sandbox` or `agents.runsIn`, got neither. Set `runsIn` to a name of `repositories`, or choose a sandbox.',
    );
  }
  const { agentRunner } = await import('./agent-runner.ts');
  const { makeSandbox } = await import('./workspaces.ts');
  return agentRunner({
    agents: names,
    sandbox: await makeSandbox(sandbox, egress === undefined ? {} : { egress }),
    timeouts: { runMs: timeoutMs },
    ...(repository !== undefined && { cwd: repository }),
  });
}

async function openDurable(
  { names, runsIn: repository, timeoutMs, ...others }: AgentSettings & { runsIn: string; timeoutMs: number },
  { agentRuns: machine, runOffers: offers }: OpenRuns,
): Promise<AgentRunner> {
  const [other] = (['sandbox', 'repository', 'egress'] as const).filter((name) => others[name] !== undefined);
  if (other !== undefined) {
    throw new UsageError(
      `Expected \`agents.runsIn\` without \`agents.${other}\`, got both. Move it to \`${other === 'repository' ? 'repositories' : `runs.${other}`}\`.`,
    );
  }
  if (offers?.repositories.includes(repository) !== true) {
    throw new UsageError(
      `Expected \`agents.runsIn\` to be a name of \`repositories\` beside \`runs\`, got \`${repository}\`. Add \`repositories.${repository}\` and \`runs\`.`,
    );
  }
  const unknown = names.find((name) => !offers.agents.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(
      `Expected \`agents.names\` to contain only agents of \`runs.agents\`, got \`${unknown}\`. Add it there, or remove it.`,
    );
  }
  const { durableAgents } = await import('./runs/durable-agents.ts');
  return durableAgents({ machine, offers, agents: names, repository, timeoutMs });
}
