/** Reader of the `models.yaml` that `--models` names. */
import { ManifestError } from '@truecast/core/internal/errors/manifest-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { readModelsManifest, type ModelEndpoint } from '@truecast/ensemble/internal/manifest/models-manifest';
import { readChosenFile } from '../../support/open-chosen-file.ts';
import { knownModels } from '../flags/model-endpoints.ts';

const MAX_FILE_BYTES = 1024 * 1024;

/** Reads the models by name. @throws UsageError; ManifestError with every problem */
export async function loadModels(path: string): Promise<ReadonlyMap<string, ModelEndpoint>> {
  const text = await readChosenFile(path, MAX_FILE_BYTES).catch((cause: unknown) => {
    throw new UsageError(`Expected \`--models\` to name a readable file, got \`${path}\`. Check the path.`, {
      cause,
    });
  });
  const { manifest, problems } = readModelsManifest(text, path, process.env);
  if (problems.length > 0) throw new ManifestError(problems);
  return knownModels(manifest);
}
