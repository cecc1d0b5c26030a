/** Default of `--agent`: an installed agent, preferably one whose key is set. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import { findProgram } from 'truecast/internal/run/prepare/find-program';
import { FOUND_AGENTS } from 'truecast/internal/agents/registry/agents';

/** Returns the agents whose program is on the PATH. Those with a key in the environment come first. */
export async function findInstalledAgents(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly AgentProvider[]> {
  const agents = FOUND_AGENTS.map(({ make }) => make());
  const found = await Promise.all(
    agents.map((agent) => findProgram(agent.program ?? agent.name, env['PATH'] ?? '')),
  );
  const installed = agents.filter((_, index) => found[index] !== undefined);
  const hasKey = (agent: AgentProvider): boolean => agent.modelAccess?.(env) !== undefined;
  return [...installed.filter(hasKey), ...installed.filter((agent) => !hasKey(agent))];
}

/**
 * Returns the name of the first installed agent, and reports the choice.
 *
 * @throws UsageError if none is installed
 */
export async function chooseInstalledAgent(tell: (line: string) => void): Promise<string> {
  const [agent, ...others] = await findInstalledAgents(process.env);
  if (agent === undefined) {
    const [first] = FOUND_AGENTS;
    throw new UsageError(
      `No agent is installed. Install one, such as \`${first?.make().installHint ?? ''}\`, or pass \`--agent command:LINE\`. Without an agent: \`truecast demo\`.`,
    );
  }
  const rest = others.length === 0 ? '' : `; also installed: ${others.map(({ name }) => name).join(', ')}`;
  tell(`agent: ${agent.name} (choose with --agent${rest})`);
  return agent.name;
}
