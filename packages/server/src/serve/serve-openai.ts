/** Ports of the OpenAI-compatible API: models and configured coding agents. */
import type { ServerConfig } from '../config/server-config.ts';
import type { ListenHttpOptions } from '../http/app/listen-http.ts';
import { openAgents } from './open-agents.ts';
import type { OpenWorker } from './open-worker.ts';
import { listedModels } from './server-models.ts';

/**
 * Creates the ports.
 *
 * @throws UsageError for an unknown agent
 */
export async function serveOpenAI(
  worker: Pick<OpenWorker, 'models' | 'mask' | 'observer' | 'processes'>,
  config: ServerConfig,
): Promise<NonNullable<ListenHttpOptions['openAI']>> {
  const models = listedModels(worker.models);
  const agents = await openAgents(config);
  const { onModelCall, onAnswer } = worker.observer;
  const { bodyBytes } = config.limits ?? {};
  return {
    models,
    mask: worker.mask.mask,
    onModelCall,
    processes: worker.processes,
    onAnswer,
    ...(bodyBytes !== undefined && { limits: { maxBodyBytes: bodyBytes } }),
    ...(agents !== undefined && { agents }),
  };
}
