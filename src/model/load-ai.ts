/** Owns loading the AI SDK, which is installed only by those who call models. */
import { UsageError } from '../errors/usage-error.ts';

/**
 * Loads a package of the AI SDK.
 *
 * @throws UsageError `unsupported` when it is not installed
 */
export async function loadPackage<TModule>(name: string, load: () => Promise<TModule>): Promise<TModule> {
  try {
    return await load();
  } catch (cause) {
    throw new UsageError(`The package \`${name}\` could not be loaded. Run \`npm install ${name}\`.`, {
      code: 'unsupported',
      cause,
    });
  }
}
