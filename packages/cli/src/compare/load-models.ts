/** Reader of the `models.yaml` that `--models` names. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { parseModelsManifest } from '@truecast/ensemble/internal/manifest/load-ensemble';
import type { ModelEndpoint } from '@truecast/ensemble/internal/manifest/models-manifest';
import { readChosenFile } from 'truecast/internal/support/open-chosen-file';
import { knownModels } from '../flags/model-endpoints.ts';

const MAX_FILE_BYTES = 1024 * 1024;

/** Reads the models by name. @throws UsageError; ManifestError with every problem */
export async function loadModels(path: string): Promise<ReadonlyMap<string, ModelEndpoint>> {
  const text = await readChosenFile(path, MAX_FILE_BYTES).catch((cause: unknown) => {
    throw new UsageError(`Expected \`--models\` to name a readable file, got \`${path}\`. Check the path.`, {
      cause,
    });
  });
  return knownModels(await parseModelsManifest(text, path, process.env));
}
