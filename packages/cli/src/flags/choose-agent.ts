/** Agent of `--agent`: its provider, or the one that is installed. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { StreamAgentProvider, AgentProvider } from 'truecast/internal/ports/agent-provider';
import { command } from 'truecast/internal/agents/command';
import { ACP_AGENTS, AGENTS, findAgent, FOUND_AGENTS } from 'truecast/internal/agents/registry/agents';
import { gotUnknown } from '@truecast/core/internal/options/known-options';
import { replay } from 'truecast/internal/run/record/replay';
import { findProgram } from 'truecast/internal/run/prepare/find-program';

const MAKERS: Readonly<Record<string, (detail: string | undefined) => StreamAgentProvider>> = {
  ...Object.fromEntries(
    Object.entries({ ...AGENTS, ...ACP_AGENTS }).map(([name, { make }]) => [
      name,
      (model?: string) => make(model),
    ]),
  ),
  command: (line) => command({ command: requireLine(line) }),
  replay: (file) => replay(requireFile(file)),
};

const AGENT_NAMES: readonly string[] = Object.keys(MAKERS);

/**
 * Creates the agent of `claude-code`, `codex:gpt-5.4`, `command:./my-agent.sh --fast` or
 * `replay:recording.jsonl`.
 *
 * @throws UsageError for an unknown name, with the known names
 */
export function chooseAgent(reference: string): StreamAgentProvider {
  const colon = reference.indexOf(':');
  const name = colon === -1 ? reference : reference.slice(0, colon);
  const detail = colon === -1 ? undefined : reference.slice(colon + 1);
  const make = Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined;
  if (make === undefined) {
    throw new UsageError(
      `Expected \`--agent\` to be one of ${AGENT_NAMES.join(', ')}, ${gotUnknown(name, AGENT_NAMES)} Write \`claude-code\`, \`codex:MODEL\` or \`command:LINE\`.`,
    );
  }
  if (detail === '' && findAgent(name) !== undefined) {
    throw new UsageError(
      `Expected a model after \`${reference}\`. Write \`${name}:MODEL\`, or \`${name}\` alone.`,
    );
  }
  return make(detail === '' ? undefined : detail);
}

function requireLine(line: string | undefined): string {
  if (line !== undefined) return line;
  throw new UsageError('The agent `command` needs a command line. Write `--agent "command:./my-agent.sh"`.');
}

function requireFile(file: string | undefined): string {
  if (file !== undefined) return file;
  throw new UsageError('The agent `replay` needs a recording. Write `--agent replay:FILE`.');
}

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
