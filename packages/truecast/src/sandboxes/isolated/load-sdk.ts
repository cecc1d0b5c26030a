/** Loader for optional SDKs of sandbox services, with an install hint in the error. */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

/**
 * Imports an optional package.
 *
 * @throws SandboxError `unavailable`, with the install command
 */
export async function loadSdk<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new SandboxError(
      `The package \`${name}\` cannot be imported. Install it: \`npm install ${name}\`.`,
      {
        code: 'unavailable',
        cause,
      },
    );
  }
}
