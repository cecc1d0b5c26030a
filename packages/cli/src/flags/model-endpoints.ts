/** Models of `--model`: a name in `models.yaml`, or `http://…/v1#model`. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ModelEndpoint, ModelsManifest } from '@truecast/ensemble/internal/manifest/models-manifest';
import { parseModelAddress } from '@truecast/model/internal/models-file/model-address';

export interface NamedModel {
  readonly name: string;
  readonly endpoint: ModelEndpoint;
}

/** Returns the models of a `models.yaml` by profile and by name. */
export function knownModels(
  models: Pick<ModelsManifest, 'profiles' | 'endpoints'> | undefined,
): ReadonlyMap<string, ModelEndpoint> {
  return new Map([...Object.entries(models?.profiles ?? {}), ...Object.entries(models?.endpoints ?? {})]);
}

/**
 * Finds a model.
 *
 * @param others - further names that the command accepts, for the message
 * @throws UsageError for an unknown name
 */
export function findModel(
  name: string,
  known: ReadonlyMap<string, ModelEndpoint>,
  others: readonly string[] = [],
): NamedModel {
  const entry = known.get(name);
  if (entry !== undefined) return { name, endpoint: entry };
  const { url: endpoint, model } = parseModelAddress(name) ?? {};
  const { TRUECAST_API_KEY: apiKey = '' } = process.env;
  if (endpoint !== undefined && model !== undefined) {
    return { name: model, endpoint: { endpoint, model, settings: {}, ...(apiKey !== '' && { apiKey }) } };
  }
  const names = [...known.keys(), ...others];
  const first = names.length === 0 ? '' : `a name in \`models.yaml\` (${names.join(', ')}) or `;
  throw new UsageError(`Expected \`--model\` to be ${first}\`http://…/v1#model\`, got \`${name}\`.`);
}
