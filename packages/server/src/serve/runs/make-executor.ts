/** Creates the executor of agent runs from the agents, the sandbox and the repositories of a configuration. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { AGENT_NAMES, ACP_PRESET_NAMES } from 'truecast/internal/agents/registry/agent-names';
import { findAgent } from 'truecast/internal/agents/registry/agents';
import { openRepository } from 'truecast/internal/git/repository/repository';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { ServerConfig } from '../../config/server-config.ts';
import type { AgentExecutor } from '../../runs/agent-executor.ts';
import { executeRun, type RunRepository } from './execute-run.ts';

const DEFAULT_PLACES = 4;
const GIT_TIMEOUT_MS = 60_000;

/** Parts of an executor that are opened before. */
interface ExecutorPlace {
  readonly repositories: NonNullable<ServerConfig['repositories']>;
  readonly sandbox: SandboxProvider;
}

/** @throws UsageError for an unknown agent, and for a path without a repository */
export async function makeExecutor(
  { agents, places = DEFAULT_PLACES, branchPrefix }: NonNullable<ServerConfig['runs']>,
  { repositories, sandbox }: ExecutorPlace,
): Promise<AgentExecutor> {
  assertAgents(agents);
  const names = Object.keys(repositories);
  if (names.length === 0) {
    throw new UsageError(
      'Expected `repositories` beside `runs`, got none. Add `repositories: { NAME: { path: PATH } }`.',
    );
  }
  const opened = new Map<string, RunRepository>();
  for (const [name, { path }] of Object.entries(repositories)) opened.set(name, await open(name, path));
  const parts = { agents, sandbox, repositories: opened };
  return {
    offers: { repositories: names, agents, ...(branchPrefix !== undefined && { branchPrefix }) },
    places,
    execute: (claimed, report) => executeRun(parts, claimed, report),
  };
}

async function open(name: string, path: string): Promise<RunRepository> {
  try {
    const { commonDir } = await openRepository(path, { timeoutMs: GIT_TIMEOUT_MS });
    return { path, stateFolder: repositoryStateFolder(commonDir) };
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The path of \`repositories.${name}\` has no repository: ${said}`, { cause });
  }
}

function assertAgents(agents: readonly string[]): void {
  const unknown = agents.find((name) => findAgent(name) === undefined);
  if (unknown === undefined) return;
  throw new UsageError(
    `Expected \`runs.agents\` to contain only ${[...AGENT_NAMES, ...ACP_PRESET_NAMES].join(', ')}, got \`${unknown}\`. Remove it.`,
  );
}
