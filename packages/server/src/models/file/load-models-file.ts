/** Loads the server's file of models from disk. */
import { readFile } from 'node:fs/promises';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { isAllowedFile } from '@truecast/host/internal/allowed-files';
import type { Variables } from '@truecast/model/internal/models-file/list-variables';
import type { ModelEntries } from './read-models-file.ts';

/**
 * Loads the file. Variables beyond `TRUECAST_*` need `truecast allow`.
 *
 * @throws UsageError if it cannot be read, or that lists each problem with its line
 */
export async function loadModelsFile(path: string, env: Variables): Promise<ModelEntries> {
  const text = await readFile(path, 'utf8').catch((cause: unknown): never => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The file of models \`${path}\` cannot be read: ${reason}. Correct the path.`, {
      cause,
    });
  });
  // With the YAML parser, of 72 files.
  const { readModelsFile } = await import('./read-models-file.ts');
  return readModelsFile(text, path, { env, isAllowed: isAllowedFile(path, text) });
}
