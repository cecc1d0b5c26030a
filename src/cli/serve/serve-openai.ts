/** Owns who answers on the OpenAI wire of `truecast serve`: its models, and the coding agents that the configuration names. */
import type { ServerConfig } from '../../server/config/server-config.ts';
import type { ServerOptions } from '../../server/http/create-server.ts';
import { agentRunner } from './agent-runner.ts';
import type { OpenWorker } from './open-worker.ts';
import { listedModels } from './server-models.ts';
import { makeSandbox } from './workspaces.ts';

const DEFAULT_TIMEOUT_SECONDS = 3_600;

/**
 * Makes the ports.
 *
 * @throws UsageError for an agent that is not known
 */
export async function serveOpenAI(
  worker: Pick<OpenWorker, 'models'>,
  { agents }: ServerConfig,
): Promise<NonNullable<ServerOptions['openAI']>> {
  const models = listedModels(worker.models);
  if (agents === undefined) return { models };
  const { names, sandbox, repository, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = agents;
  const runner = agentRunner({
    agents: names,
    sandbox: await makeSandbox(sandbox, {}),
    timeoutSeconds,
    ...(repository !== undefined && { cwd: repository }),
  });
  return { models, agents: runner };
}
