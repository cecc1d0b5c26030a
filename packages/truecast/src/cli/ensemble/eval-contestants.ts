/** Contestants of `truecast ensemble eval`: models by their name in `models.yaml`, or by address. */
import type { Environment } from '@truecast/ensemble/internal/manifest/models-manifest';
import { endpointOf, providerOfEndpoint } from '@truecast/ensemble/internal/manifest/model-router';
import type { ModelEndpoint, ModelsManifest } from '@truecast/ensemble/internal/manifest/models-manifest';
import type { Provider } from '@truecast/ensemble/internal/providers/provider';
import { stubProvider } from '@truecast/ensemble/internal/providers/stub-provider';
import { findModel, knownModels } from '../flags/model-endpoints.ts';

/** A model that plays all members of a cast. */
export interface EvalContestant {
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
): readonly EvalContestant[] {
  const known = knownModels(models);
  if (names.length > 0) return names.map((name) => named(name, known));
  const given = endpointOf(env);
  if (given !== undefined) return [contestantOf(given.model, given)];
  if (known.size === 0 || models?.offline === true) return [named(STUB, known)];
  return [...known].map(([name, endpoint]) => contestantOf(name, endpoint));
}

function named(name: string, known: ReadonlyMap<string, ModelEndpoint>): EvalContestant {
  if (name === STUB && !known.has(STUB))
    return { name, providerFor: (seed) => stubProvider({ seed: String(seed) }) };
  const found = findModel(name, known, [STUB]);
  return contestantOf(found.name, found.endpoint);
}

function contestantOf(name: string, endpoint: ModelEndpoint): EvalContestant {
  return {
    name,
    providerFor: (seed) =>
      providerOfEndpoint({
        ...endpoint,
        settings: { ...endpoint.settings, seed: endpoint.settings.seed ?? seed },
      }),
  };
}
