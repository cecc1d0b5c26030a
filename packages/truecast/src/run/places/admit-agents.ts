/**
 * Checks agents before their sandbox starts: mounts for their programs and network access to their
 * models.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import { decideEgress, type DecidedEgress } from '../options/decide-egress.ts';
import { findAgentProgram } from '../prepare/find-program.ts';
import type { SandboxHandle, SandboxProvider } from '../../ports/sandbox-provider.ts';

/** Requirements of a sandbox's agents. */
export interface AdmittedAgents extends DecidedEgress {
  readonly readonlyPaths: readonly string[];
}

/**
 * Returns the programs of the agents and the hosts they can connect to.
 *
 * @throws UsageError if a program is missing, or an agent cannot reach its model
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
  return { readonlyPaths, ...decideEgress(agents, sandbox, hostEnv) };
}

/**
 * Refuses an agent whose program, or a file of it, is not mounted in a sandbox that is already
 * started.
 *
 * @throws UsageError
 */
export async function assertProgramInside(
  { program, name, readonlyPaths = [] }: AgentProvider,
  handle: SandboxHandle,
  signal: AbortSignal,
): Promise<void> {
  const tests = [
    ...(program === undefined ? [] : [['command -v', program] as const]),
    ...readonlyPaths.map((path) => ['test -e', path] as const),
  ];
  for (const [test, path] of tests) {
    const { exitCode } = await handle.exec(`${test} ${quoteArgument(path)}`, { signal });
    if (exitCode !== 0) {
      throw new UsageError(
        `The program \`${path}\` of the agent \`${name}\` is not in this sandbox. List the agent in \`createSandbox({ agents })\`, or add the program to the image.`,
        { code: 'unsupported' },
      );
    }
  }
}
