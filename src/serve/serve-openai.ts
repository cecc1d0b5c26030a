/** Owns who answers on the OpenAI wire of `truecast serve`: its models, and the coding agents that the configuration names. */
import type { ServerConfig } from '../server/config/server-config.ts';
import type { ListenHttpOptions } from '../server/http/listen-http.ts';
import { openAgents } from './open-agents.ts';
import type { OpenWorker } from './open-worker.ts';
import { listedModels } from './server-models.ts';

/**
 * Makes the ports.
 *
 * @throws UsageError for an agent that is not known
 */
export async function serveOpenAI(
  worker: Pick<OpenWorker, 'models'>,
  config: ServerConfig,
): Promise<NonNullable<ListenHttpOptions['openAI']>> {
  const models = listedModels(worker.models);
  const agents = await openAgents(config);
  return { models, ...(agents !== undefined && { agents }) };
}
