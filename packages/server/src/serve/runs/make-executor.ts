/** Creates the executor of agent runs from the agents, the sandbox and the repositories of a configuration. */
import type { PushMode } from '@truecast/client/internal/wire/wire-codes';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { AGENT_NAMES, ACP_PRESET_NAMES } from 'truecast/internal/agents/registry/agent-names';
import { findAgent } from 'truecast/internal/agents/registry/agents';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { ServerConfig } from '../../config/server-config.ts';
import type { AgentExecutor, ClaimedRun, ExecutionEnding, RunReport } from '../../runs/agent-executor.ts';
import { executePushedRun } from './execute-pushed-run.ts';
import { executeRun, type ExecutorParts } from './execute-run.ts';
import { restoreContinued } from './open-continuation.ts';
import { withArtifacts } from './store-artifacts.ts';
import { mayOutliveWorker } from './take-over.ts';
import { openRepositories, type RepositoriesPlace } from './open-repositories.ts';
import { afterCleanUp, openRunRemains } from './run-remains.ts';
import type { RunRepository } from './take-over.ts';

const DEFAULT_PLACES = 4;

/** Parts of an executor that are opened before. */
export interface ExecutorPlace extends RepositoriesPlace {
  readonly repositories: NonNullable<ServerConfig['repositories']>;
  readonly sandbox: SandboxProvider;
}

/** @throws UsageError for an unknown agent, a path without a repository, and a credential that is not set */
export async function makeExecutor(
  { agents, places = DEFAULT_PLACES, branchPrefix, record = false }: NonNullable<ServerConfig['runs']>,
  { repositories: configured, sandbox, ...place }: ExecutorPlace,
): Promise<AgentExecutor> {
  assertAgents(agents);
  const names = Object.keys(configured);
  if (names.length === 0) {
    throw new UsageError(
      'Expected `repositories` beside `runs`, got none. Add `repositories: { NAME: { path: PATH } }`, or a `url` instead of the path.',
    );
  }
  const repositories = await openRepositories(configured, place);
  const parts = { agents, sandbox, repositories, isRecorded: record };
  const secrets = [...repositories.values()].flatMap(({ remote }) => remote?.clone.remote.password ?? []);
  const pushes = Object.fromEntries(
    [...repositories].flatMap(([name, { remote }]): [string, PushMode][] =>
      remote === undefined ? [] : [[name, remote.push]],
    ),
  );
  return {
    offers: { repositories: names, agents, pushes, ...(branchPrefix !== undefined && { branchPrefix }) },
    places,
    leases: mayOutliveWorker(sandbox.name) ? 2 : 1,
    folderOf: (name) => repositories.get(name)?.path,
    remains: openRunRemains([...repositories.values()]),
    execute: async (claimed, report) => {
      const repository = repositories.get(claimed.request.repository);
      if (repository === undefined) return executeRun(parts, claimed, report);
      await afterCleanUp(repository, report.signal);
      const { remote, stateFolder } = repository;
      const execute = executeHere.bind(undefined, parts, repository);
      const ending = await (remote === undefined
        ? execute(claimed, report)
        : executePushedRun({ ...remote, stateFolder, execute }, claimed, report));
      return withArtifacts({ ...repository, secrets }, { claimed, report, ending });
    },
  };
}

/** Executes a run whose branch is here. The run that it continues can be elsewhere. */
async function executeHere(
  parts: ExecutorParts,
  repository: RunRepository,
  claimed: ClaimedRun,
  report: RunReport,
): Promise<ExecutionEnding> {
  const { agent: name, model } = claimed.request;
  const agent = findAgent(name)?.make(model);
  if (agent !== undefined) await restoreContinued(repository, agent, { claimed, report });
  return executeRun(parts, claimed, report);
}

function assertAgents(agents: readonly string[]): void {
  const unknown = agents.find((name) => findAgent(name) === undefined);
  if (unknown === undefined) return;
  throw new UsageError(
    `Expected \`runs.agents\` to contain only ${[...AGENT_NAMES, ...ACP_PRESET_NAMES].join(', ')}, got \`${unknown}\`. Remove it.`,
  );
}
