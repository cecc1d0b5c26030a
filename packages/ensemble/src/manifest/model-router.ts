/** Model selection for agents: environment, `models.yaml`, or the stub. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { openAICompatible } from '@truecast/model';
import { aiSdkProvider } from '../providers/ai-sdk-provider.ts';
import type { Provider } from '../providers/provider.ts';
import { stubProvider } from '../providers/stub-provider.ts';
import { MANIFEST_DEFAULTS, type AgentManifest } from './agent-manifest.ts';
import type { Environment, ModelEndpoint, ModelsManifest } from './models-manifest.ts';

/** Maps each agent to its model. */
export interface ModelRouter {
  /** The selection and its reason, for display. */
  readonly notice: string;
  /**
   * Returns the model of an agent. Agents with the same endpoint share it.
   *
   * @throws UsageError `invalid-option` if `models.yaml` has no model for it
   */
  providerOf(agent: Pick<AgentManifest, 'name' | 'modelProfile' | 'modelEndpoint'>): Provider;
}

/** Options of a router. */
export interface ModelRouterOptions {
  /** Contents of `models.yaml`. @default absent */
  readonly models?: ModelsManifest;
  /**
   * `TRUECAST_BASE_URL`, `TRUECAST_MODEL` and, if needed, `TRUECAST_API_KEY` override
   * `models.yaml`. @default `process.env`
   */
  readonly env?: Environment;
}

/**
 * Selects the models of a run, in this order: the stub if `models.yaml` has `offline: true`; the
 * environment's model for all agents; `models.yaml` by endpoint and profile; the stub.
 *
 * @throws UsageError `invalid-option` if only one of `TRUECAST_BASE_URL` and `TRUECAST_MODEL` is
 *   set, or the URL is invalid
 * @example
 * ```ts
 * const router = createModelRouter();
 * console.error(router.notice);
 * ```
 */
export function createModelRouter(options: ModelRouterOptions = {}): ModelRouter {
  assertKind(options, 'an object', 'options', 'Pass `{ models, env }`, or leave it out.');
  const { models, env = process.env } = options;
  assertKind(env, 'an object', 'env', 'Pass `process.env`, or leave it out.');
  if (models !== undefined) {
    assertKind(models, 'an object', 'models', 'Pass the `models` of `loadEnsemble()`, or leave it out.');
  }
  if (models?.offline === true) {
    return stubRouter('The stub plays all agents: `models.yaml` sets `offline: true`.');
  }
  const endpoint = endpointOf(env);
  if (endpoint !== undefined) {
    const provider = providerOfEndpoint(endpoint);
    const notice = `All agents are played by ${endpoint.model} (TRUECAST_MODEL).`;
    return { notice, providerOf: () => provider };
  }
  if (models !== undefined) return manifestRouter(models);
  return stubRouter(
    'The stub plays all agents, without network: set TRUECAST_BASE_URL and TRUECAST_MODEL, or write a models.yaml, for a real model.',
  );
}

function stubRouter(notice: string): ModelRouter {
  const provider = stubProvider();
  return { notice, providerOf: () => provider };
}

/** Returns the model that the environment names, if it names one. */
export function endpointOf(env: Environment): ModelEndpoint | undefined {
  const endpoint = env['TRUECAST_BASE_URL'] ?? '';
  const model = env['TRUECAST_MODEL'] ?? '';
  const apiKey = env['TRUECAST_API_KEY'] ?? '';
  if (endpoint === '' && model === '') return undefined;
  if (endpoint === '' || model === '') {
    const missing = endpoint === '' ? 'TRUECAST_BASE_URL' : 'TRUECAST_MODEL';
    throw new UsageError(
      `Expected TRUECAST_BASE_URL and TRUECAST_MODEL to be set together, but ${missing} is not set. Set both, or neither to use \`models.yaml\`.`,
    );
  }
  return { endpoint, model, settings: {}, ...(apiKey !== '' && { apiKey }) };
}

function manifestRouter({ profiles, endpoints }: ModelsManifest): ModelRouter {
  const providers = new Map<ModelEndpoint, Provider>();
  return {
    notice: 'Agents are played by the models of `models.yaml`.',
    providerOf({ name, modelProfile = MANIFEST_DEFAULTS.modelProfile, modelEndpoint }) {
      const endpoint = modelEndpoint === undefined ? profiles[modelProfile] : endpoints[modelEndpoint];
      if (endpoint === undefined) {
        throw new UsageError(
          `\`models.yaml\` defines no model for the agent \`${name}\`. Add \`${modelEndpoint ?? modelProfile}\` to \`${modelEndpoint === undefined ? 'profiles' : 'endpoints'}\`.`,
        );
      }
      const provider = providers.get(endpoint) ?? providerOfEndpoint(endpoint);
      providers.set(endpoint, provider);
      return provider;
    },
  };
}

export function providerOfEndpoint({
  endpoint,
  model,
  apiKey,
  mode,
  settings,
  body,
  prices,
}: ModelEndpoint): Provider {
  const server = { baseURL: endpoint, model, ...(apiKey !== undefined && { apiKey }) };
  const chat = openAICompatible({ ...server, ...(body !== undefined && { body }) });
  return aiSdkProvider(chat, {
    ...settings,
    ...(mode !== undefined && { mode }),
    ...(prices !== undefined && { prices }),
  });
}
