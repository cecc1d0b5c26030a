/** Owns what a sandbox must show and reach for the agents that will work in it. */
import { UsageError } from '../../errors/usage-error.ts';
import type { AgentProvider } from '../agents/agent-provider.ts';
import type { ModelAccess } from '../agents/model-access.ts';
import { quoteArgument } from '../agents/shell-quote.ts';
import { findAgentProgram } from '../find-program.ts';
import type { SandboxHandle, SandboxProvider } from '../sandboxes/sandbox-provider.ts';

/** What the agents of a sandbox need. */
export interface AdmittedAgents {
  readonly readonlyPaths: readonly string[];
  readonly modelAccess: ModelAccess | undefined;
}

/**
 * Finds the programs of the agents, and how the first reaches its model.
 *
 * @throws UsageError when a program is missing, or `egress: "model"` finds no way to a model
 */
export async function admitAgents(
  agents: readonly AgentProvider[],
  sandbox: SandboxProvider,
  hostEnv: Readonly<Record<string, string | undefined>>,
): Promise<AdmittedAgents> {
  const programs = await Promise.all(
    agents.map((agent) => findAgentProgram(agent, { ...hostEnv, ...agent.env }, sandbox)),
  );
  const readonlyPaths = programs
    .flatMap((program) => (program === undefined ? [] : [program.path, program.realPath]))
    .concat(agents.flatMap((agent) => agent.readonlyPaths ?? []));
  return { readonlyPaths, modelAccess: accessOf(agents, sandbox, hostEnv) };
}

function accessOf(
  agents: readonly AgentProvider[],
  sandbox: SandboxProvider,
  hostEnv: Readonly<Record<string, string | undefined>>,
): ModelAccess | undefined {
  const egress = sandbox.tag === 'bind-mount' ? sandbox.egress : 'host';
  const [first, ...others] = agents;
  const access = first?.modelAccess?.({ ...hostEnv, ...first.env });
  if (egress === 'model' && access === undefined) {
    throw new UsageError(
      "`egress: 'model'` needs to know whose model can be reached, and finds no agent with a key for it. Name the agent in `agents`, set its key, or use `egress: 'host'`.",
      { code: 'unsupported' },
    );
  }
  const upstreams = others.map((agent) => agent.modelAccess?.({ ...hostEnv, ...agent.env })?.upstreamUrl);
  if (access === undefined || upstreams.every((url) => url === access.upstreamUrl)) return access;
  if (egress !== 'model') return undefined;
  throw new UsageError(
    `\`egress: 'model'\` reaches one model, and the agents ${agents.map(({ name }) => `\`${name}\``).join(', ')} have several. Make a sandbox for each, or use \`egress: 'host'\`.`,
    { code: 'unsupported' },
  );
}

/**
 * Refuses an agent whose program cannot be seen in a sandbox that was started without it.
 *
 * @throws UsageError
 */
export async function assertProgramInside(
  agent: AgentProvider,
  handle: SandboxHandle,
  signal: AbortSignal,
): Promise<void> {
  if (agent.program === undefined) return;
  const { exitCode } = await handle.exec(`command -v ${quoteArgument(agent.program)}`, { signal });
  if (exitCode === 0) return;
  throw new UsageError(
    `The program \`${agent.program}\` of the agent \`${agent.name}\` is not in this sandbox. Name the agent in \`createSandbox({ agents })\`, or put the program into the image.`,
    { code: 'unsupported' },
  );
}
