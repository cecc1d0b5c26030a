/** Default egress policy of a sandbox: the model, the agents' own hosts, or nothing. Pure. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { ModelAccess } from '../../ports/model-access.ts';
import type { EgressPolicy, SandboxProvider } from '../../ports/sandbox-provider.ts';

/** Decision for one sandbox. */
export interface DecidedEgress {
  /**
   * Policy for a sandbox for which the caller chose none. Undefined if the caller chose one, or if
   * the sandbox cannot enforce one.
   */
  readonly egress: EgressPolicy | undefined;
  /**
   * Model access through a proxy. Undefined if the agents reach their models directly, or not at
   * all.
   */
  readonly modelAccess: ModelAccess | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Decides for the agents that will work in a sandbox. No sandbox is fully open unless its caller
 * wrote `egress: 'host'`.
 *
 * @throws UsageError `unsupported`, with the line to add, if an agent could not reach its model
 */
export function decideEgress(
  agents: readonly AgentProvider[],
  sandbox: SandboxProvider,
  hostEnv: Environment,
): DecidedEgress {
  if (sandbox.tag !== 'bind-mount') return { egress: undefined, modelAccess: undefined };
  const { egress } = sandbox;
  if (egress === 'none' || egress === 'host') return { egress: undefined, modelAccess: undefined };
  const modelAccess = sharedAccess(agents, hostEnv);
  if (egress === 'model' && modelAccess === undefined) throw noSharedModel(agents, sandbox);
  if (egress !== undefined || sandbox.enforcesEgress !== true) return { egress: undefined, modelAccess };
  if (modelAccess !== undefined) return { egress: 'model', modelAccess };
  if (agents.length === 0) return { egress: 'none', modelAccess };
  const allow = new Set(agents.flatMap((agent) => hostsOf(agent, sandbox, hostEnv)));
  return { egress: { allow: [...allow] }, modelAccess };
}

/**
 * Rejects an agent in a sandbox whose default policy was decided without it.
 *
 * @throws UsageError `unsupported`
 */
export function assertDecidedFor(
  agent: AgentProvider,
  sandbox: SandboxProvider,
  agents: readonly AgentProvider[],
): void {
  const hasDefault =
    sandbox.tag === 'bind-mount' && sandbox.enforcesEgress === true && sandbox.egress === undefined;
  if (!hasDefault || agent.execute !== undefined || agents.some(({ name }) => name === agent.name)) return;
  throw new UsageError(
    `The sandbox was started without the agent \`${agent.name}\`, so it cannot reach its model. List it in \`agents\` when you create the sandbox, or write \`${sandbox.name}({ egress: { allow: ['api.example.com'] } })\` with its hosts.`,
    { code: 'unsupported' },
  );
}

/** Returns the model access shared by all agents, if one proxy can serve them all. */
function sharedAccess(agents: readonly AgentProvider[], hostEnv: Environment): ModelAccess | undefined {
  const [first, ...others] = agents.map((agent) => agent.modelAccess?.({ ...hostEnv, ...agent.env }));
  return others.every((access) => access?.upstreamUrl === first?.upstreamUrl) ? first : undefined;
}

function hostsOf(agent: AgentProvider, sandbox: SandboxProvider, hostEnv: Environment): readonly string[] {
  const hosts = agent.hosts?.({ ...hostEnv, ...agent.env });
  if (hosts !== undefined) return hosts;
  throw new UsageError(
    `No sandbox is open by default, and the hosts that the agent \`${agent.name}\` needs are unknown. Write \`${sandbox.name}({ egress: { allow: ['api.example.com'] } })\` with its hosts, \`egress: 'none'\` if it needs no network, or \`egress: 'host'\` to allow everything. On the command line: \`--egress allow=api.example.com\`, \`none\` or \`host\`.`,
    { code: 'unsupported' },
  );
}

function noSharedModel(agents: readonly AgentProvider[], sandbox: SandboxProvider): UsageError {
  const names = agents.map(({ name }) => `\`${name}\``).join(', ');
  const reason =
    agents.length > 1
      ? `reaches one model with one key, but the agents ${names} use several, or one of them has no key`
      : agents.length === 1
        ? `needs the key of the agent ${names}, and none is in the environment`
        : 'needs to know which model to reach, and `agents` lists no agent';
  return new UsageError(
    `\`egress: 'model'\` ${reason}. Set the key (see \`truecast doctor\`), remove \`egress\` to use the agent's own login, or write \`${sandbox.name}({ egress: { allow: ['api.example.com'] } })\` or \`egress: 'host'\`.`,
    { code: 'unsupported' },
  );
}
