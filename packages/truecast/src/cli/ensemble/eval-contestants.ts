/** Contestants of `truecast ensemble eval`: models by their name in `models.yaml`, or by address. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { Environment } from '@truecast/ensemble/internal/manifest/environment';
import { endpointOf, providerOfEndpoint } from '@truecast/ensemble/internal/manifest/model-router';
import type { ModelEndpoint, ModelsManifest } from '@truecast/ensemble/internal/manifest/models-manifest';
import type { Provider } from '@truecast/ensemble/internal/providers/provider';
import { stubProvider } from '@truecast/ensemble/internal/providers/stub-provider';

/** A model that plays all seats. */
export interface Contestant {
  readonly name: string;
  /** Its provider, whose sampling starts with the seed. */
  providerFor(seed: number): Provider;
}

const STUB = 'stub';

/**
 * Returns the named contestants. Without names: the model of the environment, else every entry of
 * `models.yaml`, else the stub.
 */
export function chooseContestants(
  names: readonly string[],
  { models, env }: { readonly models: ModelsManifest | undefined; readonly env: Environment },
): readonly Contestant[] {
  const known = new Map<string, ModelEndpoint>([
    ...Object.entries(models?.profiles ?? {}),
    ...Object.entries(models?.endpoints ?? {}),
  ]);
  if (names.length > 0) return names.map((name) => named(name, known, env));
  const given = endpointOf(env);
  if (given !== undefined) return [contestantOf(given.model, given)];
  if (known.size === 0 || models?.offline === true) return [named(STUB, known, env)];
  return [...known].map(([name, endpoint]) => contestantOf(name, endpoint));
}

function named(name: string, known: ReadonlyMap<string, ModelEndpoint>, env: Environment): Contestant {
  const entry = known.get(name);
  if (entry !== undefined) return contestantOf(name, entry);
  if (name === STUB) return { name, providerFor: (seed) => stubProvider({ seed: String(seed) }) };
  const [endpoint = '', model = ''] = name.split('#');
  const apiKey = env['TRUECAST_API_KEY'] ?? '';
  if (/^https?:\/\//u.test(endpoint) && model !== '')
    return contestantOf(model, { endpoint, model, settings: {}, ...(apiKey !== '' && { apiKey }) });
  throw new UsageError(
    `Expected \`--model\` to be a name in \`models.yaml\` (${[...known.keys(), STUB].join(', ')}) or \`http://…/v1#model\`, got \`${name}\`.`,
  );
}

function contestantOf(name: string, endpoint: ModelEndpoint): Contestant {
  return {
    name,
    providerFor: (seed) =>
      providerOfEndpoint({
        ...endpoint,
        settings: { ...endpoint.settings, seed: endpoint.settings.seed ?? seed },
      }),
  };
}
